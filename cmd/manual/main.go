// Command manual writes the manual pages:
//
//	go run ./cmd/manual [-version V] [-date YYYY-MM-DD] [-source docs/man] [-codes refs/fail] DIR
//
// It writes git-context(1), a page for each command, gitcontext-formats(5) and
// gitcontext-errors(7) to DIR/man1, DIR/man5 and DIR/man7. Name, synopsis, description, options,
// exit status and examples of a page come from the command's own help, the codes of errors from
// refs/fail/codes*.go, the other sections from Markdown in docs/man, see [source]. The same
// commands and texts make the same bytes: nothing depends on the clock or the machine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	version := flag.String("version", "", "the version of the pages")
	date := flag.String("date", "", "the day of that version, as 2026-11-21")
	source := flag.String("source", filepath.Join("docs", "man"), "the directory of the texts")
	codes := flag.String("codes", filepath.Join("refs", "fail"), "the directory of the codes of errors")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: manual [-version V] [-date YYYY-MM-DD] [-source DIR] [-codes DIR] DIR")
		os.Exit(2)
	}
	if err := write(*source, *codes, flag.Arg(0), stamp{*version, *date}); err != nil {
		fmt.Fprintln(os.Stderr, "manual: error:", err)
		os.Exit(1)
	}
}

// write makes every page, and writes none if one cannot be made.
func write(source, codes, dir string, s stamp) error {
	set, err := read(source, codes)
	if err != nil {
		return err
	}
	pages, err := set.pages()
	if err != nil {
		return err
	}
	for _, p := range pages {
		folder := filepath.Join(dir, fmt.Sprintf("man%d", p.section))
		if err := errors.Join(
			os.MkdirAll(folder, 0o777),
			os.WriteFile(filepath.Join(folder, p.file()), p.roff(s), 0o666),
		); err != nil {
			return err
		}
	}
	return nil
}

// stamp is in the foot of every page; each part may be empty.
type stamp struct{ version, date string }

// page is one manual page, as Markdown without its title.
type page struct {
	name    string
	section int
	text    string
}

func (p page) file() string { return fmt.Sprintf("%s.%d", p.name, p.section) }

// title returns the line of which go-md2man makes the head and foot of a page.
func (p page) title(s stamp) string {
	return fmt.Sprintf("# %s %d %q %q %q\n\n", strings.ToUpper(p.name), p.section,
		s.date, strings.TrimSpace("git-context "+s.version), "Git Context Manual")
}
