package doc

import (
	"bytes"
	"strings"
	"testing"
)

// full returns a document of a kind that a text fills up to its limit.
func full(kind, text string) (path string, data []byte) {
	fill := func(begin, line string, most int) []byte {
		n := (most - len(begin)) / len(line)
		return []byte(begin + strings.Repeat(line, n))
	}
	switch kind {
	case "metadata":
		return MetadataFile, fill("version: 1\nx:\n", "  - "+text+"\n", MetadataLimit)
	case "keys":
		return MetadataFile, fill("version: 1\nx:\n", "  - "+text+": 1\n", MetadataLimit)
	case "front":
		return TopicPath("t"), append(fill("---\nx:\n", "  - "+text+"\n", MetadataLimit), "---\ntext\n"...)
	case "topic":
		return TopicPath("t"), fill("", text+"\n", FileLimit)
	case "roadmap":
		return RoadmapFile, fill("# Project Roadmap\n\n## Todo\n\n", "- [ ] "+text+"\n", FileLimit)
	}
	text = strings.Repeat(text+"\n", FileLimit/(len(text)+3)-100)
	return LogFile, FormatLog([]Step{{ID: idA, Time: testTime(), Agent: "a", Origin: "main", Observation: text}})
}

// A document that a short text fills has a shorter mark, whichever text goes first.
func TestRedactFull(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"metadata", "keys", "front", "topic", "roadmap", "log"} {
		t.Run(kind, func(t *testing.T) {
			path, data := full(kind, "hunter2x")
			other := "another line"
			if kind != "log" {
				data = bytes.Replace(data, []byte("hunter2x"), []byte(other), 1)
			} else {
				data = bytes.Replace(data, []byte("> hunter2x\n> hunter2x\n"), []byte("> "+other+"\n> abcd\n"), 1)
			}
			if len(data) <= MetadataMost+100 {
				holdLaws(t, path, data, forget(t, "hunter2x"), forget(t, other))
				holdLaws(t, path, data, forget(t, other), forget(t, "hunter2x"))
			}
			r := mustRedact(t, forget(t, "hunter2x"), path, data)
			if len(r.Data) > len(data) || bytes.Contains(r.Data, []byte("hunter2x")) {
				t.Errorf("%d bytes became %d", len(data), len(r.Data))
			}
			if kind == "topic" && !Hides(string(r.Data), string(data)) {
				t.Error("not recognized as the hidden text")
			}
		})
	}
}

// What makes room brings the usual mark back.
func TestRedactFullThenShrink(t *testing.T) {
	long := strings.Repeat("x", 1000)
	data := []byte("version: 1\nlong:\n" + strings.Repeat("  - "+long+"\n", 20) + "x:\n" + strings.Repeat("  - hunter2x\n", (MetadataLimit-21000)/13))
	one, two := forget(t, "hunter2x"), forget(t, long)
	if r := mustRedact(t, one, MetadataFile, data); !bytes.Contains(r.Data, []byte("- "+shortMark+"\n")) {
		t.Errorf("%.200s", r.Data)
	}
	if r := mustRedact(t, one.Union(two), MetadataFile, data); bytes.Contains(r.Data, []byte(shortMark)) {
		t.Errorf("%.200s", r.Data)
	}
	holdLaws(t, MetadataFile, data, one, two)
	holdLaws(t, MetadataFile, data, two, one)
}

// An entry whose log had no room, and of which a text came back, is known as the same one.
func TestHidesShortMarks(t *testing.T) {
	e := forget(t, "hunter2x")
	entry := []byte("### 1\n\n> hunter2x\n> hunter2x\n")
	hidden := bytes.ReplaceAll(entry, []byte("hunter2x"), []byte(shortMark))
	if !e.Hides(hidden, entry) || e.Hides(entry, hidden) {
		t.Error("an entry with short marks")
	}
	if h := (HiddenLines{Texts: e.HiddenIn(entry), Only: true}); !h.CameBack(hidden, entry, Expunged{}) {
		t.Error("an entry that came back")
	}
	for _, sides := range [][2]string{{Redaction, shortMark}, {shortMark, Redaction}} {
		if now, ok := bothShown("- "+sides[0], "- "+sides[1]); !ok || now != "- "+Redaction {
			t.Errorf("%q %v", now, ok)
		}
	}
	for key, is := range map[string]bool{"(expunged)": true, "(expunged 12 2)": true, "(-a)": true, "(-a 2)": true, "(-ab)": false, "(-": false} {
		if isExpungedKey(key) != is {
			t.Error(key)
		}
	}
}
