package across

import (
	"math"
	"slices"
	"strings"

	"github.com/git-context/git-context/notes"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/index"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/search"
)

// Hit is a lesson: the best hit of it, and those of other repositories.
type Hit struct {
	search.Hit
	Repository string   `json:"repository"` // the path of the repository
	Confidence *float64 `json:"confidence"` // that it works again, from the outcomes; nil without any
	Succeeded  int      `json:"succeeded"`  // of Judged
	Judged     int      `json:"judged"`     // commits of the lesson that have an outcome, each once
	Also       []Copy   `json:"also"`       // where else it is, the best first

	Name string `json:"-"` // of the repository, for people
}

// Copy is a hit that is the same lesson as another.
type Copy struct {
	Repository string   `json:"repository"`
	ID         string   `json:"id"`
	Commit     *git.ID  `json:"commit"`
	Branch     string   `json:"branch"`
	Title      string   `json:"title"`
	Outcome    *string  `json:"outcome"`
	Noted      *float64 `json:"noted"`
	Open       string   `json:"open"`

	Name string `json:"-"`
}

// lesson is hits that are the same, the best first, at most one of each repository.
type lesson struct {
	places []place
	text   *compared // of the first
}

// fold finds the best limit lessons among hits, which are in their order.
func fold(hits []place, limit int) []*lesson {
	var lessons []*lesson
	like := index.NewSimilarity("", nil)
	for _, c := range hits {
		text := newCompared(like, c)
		i := slices.IndexFunc(lessons, func(l *lesson) bool { return !l.isIn(c.part) && l.text.same(text) })
		switch {
		case i >= 0:
			lessons[i].places = append(lessons[i].places, c)
		case len(lessons) < limit:
			lessons = append(lessons, &lesson{[]place{c}, text})
		}
	}
	return lessons
}

func (l *lesson) isIn(p *part) bool {
	return slices.ContainsFunc(l.places, func(c place) bool { return c.part == p })
}

// hit makes a Hit of a lesson. It leaves out what was not shown, and reports false if nothing was.
func (l *lesson) hit(shown map[place]search.Hit) (h Hit, ok bool) {
	h.Also = []Copy{}
	for _, c := range l.places {
		one, known := shown[c]
		repo := c.part.repo
		one.Open = openIn(repo.Path, one.Open)
		switch {
		case !known:
		case !ok:
			h.Hit, h.Repository, h.Name, ok = one, repo.Path, repo.Name, true
		default:
			h.Also = append(h.Also, Copy{repo.Path, one.ID, one.Commit, one.Branch, one.Title, one.Outcome, one.Noted, one.Open, repo.Name})
		}
	}
	h.Succeeded, h.Judged = l.outcomes()
	h.Confidence = confidence(h.Succeeded, h.Judged)
	return h, ok
}

// openIn is a command that shows a hit, from wherever the user is.
func openIn(path, command string) string {
	return "git -C " + prose.ShellWord(path) + strings.TrimPrefix(command, "git")
}

// outcomes counts the commits of a lesson that have an outcome, and those that succeeded. Copies of one
// commit, as clones have them, are one; if they differ, it is no success.
func (l *lesson) outcomes() (succeeded, judged int) {
	good := map[index.DocID]bool{}
	for _, c := range l.places {
		f := c.found()
		if f.Outcome() == nil {
			continue
		}
		success := *f.Outcome() == notes.Outcomes()[0]
		before, again := good[f.EntryID()]
		good[f.EntryID()] = success && (before || !again)
	}
	for _, success := range good {
		if success {
			succeeded++
		}
	}
	return succeeded, len(good)
}

// confidence is Laplace's rule of succession, rounded; nil if nothing is known.
func confidence(succeeded, judged int) *float64 {
	if judged == 0 {
		return nil
	}
	x := math.Round(1000*float64(succeeded+1)/float64(judged+2)) / 1000
	return &x
}

// comparedText is how much of a text is compared, in bytes: what agents and people write as a lesson is
// shorter, and a longer text is compared by its beginning.
const comparedText = 4 << 10

// compared is the text of a hit, prepared for comparison.
type compared struct {
	kind        index.Kind
	id          index.DocID
	title, body string // without line breaks and capitals

	like              *index.Similarity // what is known of terms
	likeTitle, likeIn *index.Similarity // prepared when they are needed
}

func newCompared(like *index.Similarity, c place) *compared {
	f, t := c.found(), c.part.texts[c.n]
	title, body := prose.Clip(t.Title, comparedText), prose.Clip(t.Body, comparedText)
	k := &compared{kind: f.Kind(), id: f.EntryID(), title: title, body: body, like: like}
	if k.kind != index.Commits { // the name of a topic, the action of a step
		k.title = ""
	}
	if prose.Fold(body) == prose.Fold(title) { // a commit without a contribution
		k.body = ""
	}
	return k
}

// same reports whether two texts are the same lesson; see the package comment.
func (k *compared) same(other *compared) bool {
	switch {
	case k.kind != other.kind:
		return false
	case k.kind != index.Topics && k.id == other.id:
		return true
	case equal(k.title, other.title) && equal(k.body, other.body):
		return true
	case (k.title == "") != (other.title == "") || (k.body == "") != (other.body == ""):
		return false
	}
	return (equal(k.title, other.title) || near(k.inTitle(), other.inTitle())) &&
		(equal(k.body, other.body) || near(k.inBody(), other.inBody()))
}

func equal(a, b string) bool { return strings.EqualFold(prose.Fold(a), prose.Fold(b)) }

// fewWords is the number of significant words from which on texts are folded that are not equal. A text of
// fewer, such as "Run the tests again", resembles what is written in any repository.
const fewWords = 3

func near(a, b *index.Similarity) bool {
	return min(a.Significant(), b.Significant()) >= fewWords && a.Between(b) >= index.DuplicateAt
}

func (k *compared) inTitle() *index.Similarity {
	if k.likeTitle == nil {
		k.likeTitle = k.like.Another(k.title)
	}
	return k.likeTitle
}

func (k *compared) inBody() *index.Similarity {
	if k.likeIn == nil {
		k.likeIn = k.like.Another(k.body)
	}
	return k.likeIn
}
