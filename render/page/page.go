// Package page writes views of memory as HTML pages.
//
// A page is complete without a script: [Script] adds only what is live. All text of memory is character data,
// escaped by html/template, with characters that hide or reorder text made visible ([render.Safe]). A page
// names no other site, no style and no script of its own, so that a Content-Security-Policy can refuse these.
//
// The functions write to a buffer or an [io.Writer]; errors are those of the writer. They may be called
// concurrently.
package page

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/git"
	"github.com/git-context/git-context/refs/prose"
	"github.com/git-context/git-context/render"
	"github.com/git-context/git-context/render/graph"
)

//go:embed parts/*.html
var parts embed.FS

//go:embed assets/page.css
var style string

// Script is the script of the pages.
//
//go:embed assets/page.js
var Script string

// Style returns the style sheet of the pages.
func Style() string { return style + graph.Colors + "\n" }

// Frame is what surrounds each page.
type Frame struct {
	Title   string
	Here    string          // path of the page's link in the navigation
	Project string          // name of the repository's folder
	Branch  string          // that the page shows
	Current string          // branch of this worktree
	Waiting int             // conflicts to be resolved on Current
	Notices []string        // warnings for the reader
	Whole   bool            // the page is one of an exported file: links lead within the file
	Has     map[git.ID]bool // the commits of memory that such a file contains
}

// Pages that [Write] knows. Each has a type of its own for its data.
const (
	HomePage      = "home"      // Home
	CommitPage    = "commit"    // CommitView
	BriefPage     = "brief"     // Brief
	TracePage     = "trace"     // Trace
	TopicsPage    = "topics"    // Topics
	TopicPage     = "topic"     // TopicView
	BranchesPage  = "branches"  // Branches
	SearchPage    = "search"    // Search
	ConflictsPage = "conflicts" // Conflicts
	ErrorPage     = "error"     // Failure
	ExportPage    = "export"    // Export
)

var pages = func() map[string]*template.Template {
	common := template.Must(template.New("").Funcs(functions).ParseFS(parts, "parts/layout.html", "parts/blocks.html"))
	all := map[string]*template.Template{}
	for _, name := range []string{HomePage, CommitPage, BriefPage, TracePage, TopicsPage, TopicPage, BranchesPage,
		SearchPage, ConflictsPage, ErrorPage, ExportPage} {
		all[name] = template.Must(template.Must(common.Clone()).ParseFS(parts, "parts/"+name+".html"))
	}
	return all
}()

// Write writes a page. data is of the page's type.
func Write(w io.Writer, page string, data any) error {
	var b bytes.Buffer // an error of a template leaves no half of a page
	if err := pages[page].ExecuteTemplate(&b, "layout", data); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

var functions = template.FuncMap{
	"safe":  render.Safe,
	"text":  longText,
	"line":  func(s string) string { return render.Safe(prose.Fold(s)) },
	"short": git.ID.Short,
	"tall":  tall,
	"when":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") },
	"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"size":  func(n int) string { return render.Size(int64(n)) },
	"score": func(f *float64) string { return fmt.Sprintf("%.2f", *f) },
	"sign":  sign,
	"picks": picks,
	"list":  func(words ...string) []string { return words },
	"count": prose.Count,
}

// mostText is the size in bytes of one text that a page shows whole.
const mostText = 64 << 10

// longText returns a text as a page shows it.
func longText(s string) string {
	short := doc.ShortText(s, mostText)
	if left := len(s) - len(short); left > 0 {
		return render.Safe(short) + fmt.Sprintf("\n[%s more; git context shows all]", render.Size(int64(left)))
	}
	return render.Safe(s)
}

// tall reports whether a text may be higher than the box of a step, which scrolls then and is a stop of the
// keyboard.
func tall(s string) bool { return len(s) > 500 || strings.Count(s, "\n") > 12 }

// sign says an outcome or a status in one character, which is there for people who see no colours.
func sign(outcome string) string {
	switch outcome {
	case "success", "merged":
		return "✓"
	case "failed", "abandoned":
		return "✗"
	}
	return "•"
}

// Pick is a value that a form offers.
type Pick struct {
	Value, Label string
	Chosen       bool
}

func picks(chosen string, values []string) []Pick {
	list := make([]Pick, len(values))
	for i, v := range values {
		list[i] = Pick{v, v, v == chosen}
	}
	return list
}

// Link returns the address of a commit of memory, "" if an exported file does not contain it.
func (f Frame) Link(id git.ID) string {
	switch {
	case !f.Whole:
		return "/commit/" + string(id)
	case f.Has[id]:
		return "#c-" + string(id)
	}
	return ""
}
