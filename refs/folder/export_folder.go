package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-context/git-context/refs/detect"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/fail"
	"github.com/git-context/git-context/refs/fault"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/refs/store"

	dialect "github.com/git-context/git-context/refs/peer"
)

// ExportOptions are the options of Export.
type ExportOptions struct {
	Dir string // where .GCC or .gcc is created; it must contain neither
	As  string // contexa or gcc-memory; empty: contexa
}

// Export writes all local branches, with their pending steps, and the roadmap to a folder
// of another implementation. The folder is written beside its name and renamed, so that it
// is complete when it appears. The result's Warnings count what the dialect cannot express
// exactly. It returns an error of the kind fail.ErrExists if there is a folder already,
// fail.ErrNotFound without o.Dir, fail.ErrInvalid for an unknown dialect, and
// fail.ErrNoMemory without memory.
func Export(ctx context.Context, s *store.Store, o ExportOptions) (Result, error) {
	if o.As == "" {
		o.As = string(dialect.Contexa)
	}
	f := &dialect.Folder{Dialect: dialect.Dialect(o.As)}
	if f.Dialect != dialect.Contexa && f.Dialect != dialect.Memory {
		return Result{}, fail.New(fail.ErrInvalid, fail.DialectUnknown,
			fmt.Sprintf("unknown kind of folder '%s'", prose.OneLine(o.As, 100)),
			"known: contexa, gcc-memory")
	}
	res := Result{Dialect: o.As, Folder: filepath.Join(o.Dir, f.Dialect.Root())}
	if err := checkNoFolder(o.Dir); err != nil {
		return res, err
	}
	kept := keptFiles{}
	topics, err := fillFolder(ctx, s, f, &res.Counts, kept)
	if err != nil {
		return res, err
	}
	files, notes, err := dialect.Write(f)
	if err != nil {
		return res, err
	}
	if res.Warnings = notes; topics > 0 {
		res.Skipped = topics
		res.Warnings = append(res.Warnings, prose.Count(topics, "topic")+" left out: the folder has no place for them")
	}
	lost, err := writeFolder(ctx, s, res.Folder, files, kept)
	if lost > 0 {
		res.Skipped += lost
		res.Warnings = append(res.Warnings, prose.Count(lost, "attachment")+" left out: the content is lost")
	}
	return res, err
}

// checkNoFolder refuses a directory that contains a folder of either name: some file
// systems do not distinguish them.
func checkNoFolder(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fail.New(fail.ErrNotFound, fail.FolderNotFound, fmt.Sprintf("no folder '%s'", prose.OneLine(dir, 300)),
			"mkdir -p '"+dir+"'")
	}
	if err != nil {
		return folderError(dir, err)
	}
	if !info.IsDir() {
		return fail.New(fail.ErrInvalid, fail.FolderUnreadable, fmt.Sprintf("'%s' is no folder", dir))
	}
	for _, d := range []dialect.Dialect{dialect.Contexa, dialect.Memory} {
		path := filepath.Join(dir, d.Root())
		_, err := os.Lstat(path)
		if err == nil {
			return fail.New(fail.ErrExists, fail.FolderExists, fmt.Sprintf("'%s' exists already", path),
				"git context export ANOTHER-DIR")
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return folderError(path, err)
		}
	}
	return nil
}

// fillFolder reads the memory, and counts the topics, for which a folder has no place.
func fillFolder(ctx context.Context, s *store.Store, f *dialect.Folder, res *Counts, kept keptFiles) (topics int, err error) {
	names, err := s.BranchNames(ctx)
	if err != nil {
		return 0, err
	}
	if len(names) == 0 {
		return 0, fail.New(fail.ErrNoMemory, fail.NoMemory, fail.ErrNoMemory.Error(), "git context init")
	}
	_, main, err := s.ReadRoadmap(ctx)
	if err != nil {
		return 0, err
	}
	f.Roadmap = folderRoadmap(doc.ParseRoadmap(main))
	if f.Default, err = s.Current(ctx); err != nil {
		return 0, err
	}
	for _, name := range names {
		tip, err := s.Tip(ctx, name)
		if err != nil {
			return 0, err
		}
		b, err := folderBranch(ctx, s, tip, names, kept)
		if err != nil {
			return 0, fmt.Errorf("branch '%s': %w", name, err)
		}
		f.Branches = append(f.Branches, b)
		res.Branches++
		res.Commits += len(b.Commits)
		res.Steps += len(b.Steps)
		list, err := tip.List(ctx, doc.TopicDir)
		if err != nil {
			return 0, err
		}
		topics += len(list)
	}
	return topics, nil
}

// folderBranch reads one branch completely. As other implementations merge, it contains the
// steps that a merge brought, but commits only of its own and of branches that are gone.
func folderBranch(ctx context.Context, s *store.Store, tip *store.Tip, names []string, kept keptFiles) (dialect.Branch, error) {
	meta, err := tip.Metadata(ctx)
	if err != nil {
		return dialect.Branch{}, err
	}
	facts := meta.Branch()
	b := dialect.Branch{Name: tip.Name(), Parent: facts.CreatedFrom, Purpose: facts.Purpose, Status: facts.Status,
		MergedInto: facts.MergedInto, CreatedAt: facts.CreatedAt, MergedAt: facts.MergedAt, Segments: map[string]any{}}
	for _, key := range meta.Keys() {
		if key == "version" || key == "branch" || key == "totals" || key == detect.KeyFrom {
			continue
		}
		if b.Segments[key], _, err = meta.Get(quotePath(key)); err != nil {
			return b, err
		}
	}
	p, err := s.Pending(ctx, tip)
	if err != nil {
		return b, err
	}
	steps, err := s.WaitingSteps(ctx, tip.Name(), p)
	if err != nil {
		return b, err
	}
	if err := tip.EachLog(ctx, func(more []doc.Step) { steps = append(steps, more...) }); err != nil {
		return b, err
	}
	slices.SortStableFunc(steps, func(a, b doc.Step) int { return strings.Compare(a.ID, b.ID) })
	for _, step := range steps {
		if err := kept.add(ctx, tip, step); err != nil {
			return b, err
		}
		out := peerStep(step)
		if step.Origin == tip.Name() {
			out.Origin = ""
		}
		b.Steps = append(b.Steps, out)
	}
	var ms []doc.Commit
	err = tip.SegmentsBackwards(ctx, doc.CommitFile, doc.CommitDir, func(data []byte) (bool, error) {
		more, err := doc.ParseCommits(data)
		ms = append(ms, more...)
		return true, err
	})
	slices.SortStableFunc(ms, func(a, b doc.Commit) int { return strings.Compare(a.ID, b.ID) })
	for _, m := range ms {
		if m.Kind != doc.KindBirth && (m.Origin == tip.Name() || !slices.Contains(names, m.Origin)) {
			b.Commits = append(b.Commits, peerCommit(m))
		}
	}
	return b, err
}

// peerStep returns a step as a folder contains it. Only its text can name the files that it keeps.
func peerStep(s doc.Step) dialect.Step {
	for _, a := range s.Attachments {
		s.Observation = strings.TrimPrefix(s.Observation+"\n\n"+attachmentLine+a.Path(), "\n\n")
	}
	return dialect.Step{Time: s.Time, Agent: s.Agent, Session: s.Session, Origin: s.Origin,
		Observation: s.Observation, Thought: s.Thought, Action: s.Action}
}

func peerCommit(m doc.Commit) dialect.Commit {
	return dialect.Commit{ID: m.ID, Time: m.Time, Agent: m.Agent, Title: m.Summary, Purpose: m.Purpose,
		Progress: m.Progress, Contribution: m.Contribution}
}

func folderRoadmap(r *doc.Roadmap) dialect.Roadmap {
	out := dialect.Roadmap{Goal: r.Goal(), Decisions: r.Decisions(), Questions: r.Questions()}
	for _, it := range r.Milestones() {
		out.Milestones = append(out.Milestones, dialect.Item{Text: doc.FormatItem(it), Done: it.Done})
	}
	for _, it := range r.Todo() {
		out.Todo = append(out.Todo, dialect.Item{Text: doc.FormatItem(it), Done: it.Done})
	}
	if outcomes := r.Outcomes(); len(outcomes) > 0 {
		text := "- " + strings.Join(outcomes, "\n- ")
		out.Sections = append(out.Sections, dialect.Section{Name: doc.SectionOutcomes, Text: text})
	}
	for _, s := range r.Sections() {
		out.Sections = append(out.Sections, dialect.Section{Name: s.Name, Text: s.Text})
	}
	return out
}

// writeFolder writes a folder beside its name and renames it when it is complete. After a
// crash the remains have another name, which no reader looks for.
func writeFolder(ctx context.Context, s *store.Store, path string, files []dialect.File, kept keptFiles) (lost int, err error) {
	id, err := s.NewID("")
	if err != nil {
		return 0, err
	}
	temp := path + ".part-" + id
	if err := os.Mkdir(temp, 0o777); err != nil {
		return 0, folderError(filepath.Dir(path), err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(folderError(path, err), os.RemoveAll(temp))
		}
	}()
	for _, f := range files {
		at := filepath.Join(temp, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return 0, err
		}
		if err := os.WriteFile(at, f.Data, 0o666); err != nil {
			return 0, err
		}
		fault.Point("after-folder-file")
	}
	if lost, err = kept.write(ctx, s, temp); err != nil {
		return lost, err
	}
	fault.Point("before-folder-rename")
	return lost, os.Rename(temp, path)
}
