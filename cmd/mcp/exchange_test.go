package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/git-context/git-context/internal/gittest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// tools.json has the tools that each exchange lists.
const toolsFile = "testdata/tools.json"

// Each file of testdata is the input of a client (>) and the output of the program (<), which ends with 0 at the end
// of its input and prints no error. The client waits for the answer to a request, except to one with >!. What
// differs from run to run has a name in capitals.
func TestExchanges(t *testing.T) {
	gittest.NeedSHA1(t)
	t.Parallel()
	program := buildProgram(t)
	files := gittest.OK(filepath.Glob("testdata/*.txt"))(t)
	if len(files) == 0 {
		t.Fatal("no exchanges")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			w := newWorld(t)
			text := string(gittest.OK(os.ReadFile(file))(t))
			got := w.exchange(program, text)
			if *update {
				gittest.Must(t, os.WriteFile(file, []byte(got), 0o666))
			} else if got != text {
				t.Errorf("%s differs; -update writes it anew:\n%s", file, got)
			}
		})
	}
}

func buildProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "git-context-mcp")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	c := exec.Command("go", "build", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-o", path, "../git-context-mcp")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// conversation is a running program, and what was said so far.
type conversation struct {
	*world
	in   io.WriteCloser
	out  *bufio.Reader
	said strings.Builder
}

// message is what the player of a conversation looks at.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
}

func parse(text []byte) (m message, ok bool) {
	return m, json.Unmarshal(text, &m) == nil && m.Version == "2.0"
}

func (m message) answers() bool { return len(m.ID) > 0 && string(m.ID) != "null" }

// exchange plays the input of a file and returns the file as it should be.
func (w *world) exchange(program, text string) string {
	w.Helper()
	c := exec.CommandContext(w.Context(), program)
	var says bytes.Buffer
	c.Dir, c.Env, c.Stderr = w.dir, w.options.Environ, &says
	e := conversation{world: w, in: gittest.OK(c.StdinPipe())(w.T), out: bufio.NewReader(gittest.OK(c.StdoutPipe())(w.T))}
	gittest.Must(w.T, c.Start())
	waits := "" // the id of the request that has no answer yet
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "< ") || strings.HasPrefix(line, "= ") {
			continue
		}
		e.said.WriteString(line)
		if input, is := strings.CutPrefix(line, "> "); is {
			waits = e.wait(e.say(input, waits))
		} else if input, is := strings.CutPrefix(line, ">! "); is {
			e.say(input, "")
		}
	}
	gittest.Must(w.T, e.in.Close())
	for e.hear() != nil {
	}
	if err := c.Wait(); err != nil || says.Len() > 0 {
		w.Errorf("it ends with %v, and prints: %s", err, says.String())
	}
	fmt.Fprintf(&e.said, "= exit status %d\n", c.ProcessState.ExitCode())
	return e.said.String()
}

// say sends a line and returns the id of the answer that it waits for; that of an answer is still the one before.
func (e *conversation) say(line, waits string) string {
	e.Helper()
	_, err := io.WriteString(e.in, strings.ReplaceAll(line, "DIRECTORY", filepath.ToSlash(e.dir)))
	gittest.Must(e.T, err)
	switch m, ok := parse([]byte(line)); {
	case !ok:
		return "null" // the answer to no message
	case m.Method != "" && m.answers():
		return string(m.ID)
	}
	return waits
}

// wait hears what is said until there is the answer, or the program asks something in its turn. It returns the id
// that still waits.
func (e *conversation) wait(waits string) string {
	e.Helper()
	for waits != "" {
		m := e.hear()
		switch {
		case m == nil:
			e.Fatalf("it has ended; it said\n%s", e.said.String())
		case m.Method != "" && m.answers():
			return waits
		case m.Method == "" && string(m.ID) == waits:
			waits = ""
		}
	}
	return ""
}

// hear writes down the next line; nil at the end.
func (e *conversation) hear() *message {
	e.Helper()
	line, err := e.out.ReadBytes('\n')
	if err == io.EOF && len(line) == 0 {
		return nil
	}
	gittest.Must(e.T, err)
	m, ok := parse(line)
	if !ok {
		e.Fatalf("it is no message: %s", line)
	}
	e.said.WriteString("< " + e.stable(e.tools(string(line))))
	return &m
}

// tools replaces the tools in a line by their file, and checks that they are the same.
func (e *conversation) tools(line string) string {
	var m struct {
		Result struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if json.Unmarshal([]byte(line), &m) != nil || m.Result.Tools == nil {
		return line
	}
	var indented bytes.Buffer
	gittest.Must(e.T, json.Indent(&indented, m.Result.Tools, "", "  "))
	indented.WriteByte('\n')
	if *update {
		gittest.Must(e.T, os.WriteFile(toolsFile, indented.Bytes(), 0o666))
	} else if !bytes.Equal(gittest.OK(os.ReadFile(toolsFile))(e.T), indented.Bytes()) {
		e.Errorf("%s differs; -update writes it anew:\n%s", toolsFile, indented.String())
	}
	return strings.Replace(line, string(m.Result.Tools), `"TOOLS"`, 1)
}

// stable replaces what differs from run to run.
func (e *conversation) stable(line string) string {
	line = strings.ReplaceAll(line, filepath.ToSlash(e.dir), "DIRECTORY")
	for _, r := range [][2]string{
		{`"version":"[^"]*"`, `"version":"VERSION"`}, {`\b01[0-9A-Z]{24}\b`, "ULID"}, {`\b[0-9a-f]{40}\b`, "HASH"},
		{`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`, "TIME"}, {` \d{4}-\d\d-\d\d `, " DATE "},
	} {
		line = regexp.MustCompile(r[0]).ReplaceAllString(line, r[1])
	}
	return line
}
