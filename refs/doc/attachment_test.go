package doc_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-context/git-context/refs/doc"
)

func TestAttachmentNames(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"trace.txt": "trace.txt", "README": "README", "a b  c.png": "a-b-c.png", ".env": "env", "..": "file", "": "file",
		"bild-\u00e4.png": "bild-.png", "a/../../x": "a-..-..-x", "-rf": "rf", "a.": "a", "x\ny\x1b[2J": "x-y-2J", "\u00e4\u00f6": "file",
		strings.Repeat("a", 99) + "bcd.txt": strings.Repeat("a", 93) + "bcd.txt",
	} {
		got := doc.AttachmentName(file)
		if got != want || doc.AttachmentName(got) != got {
			t.Errorf("AttachmentName(%q) = %q, then %q; want %q", file, got, doc.AttachmentName(got), want)
		}
	}
}

func TestAttachmentPaths(t *testing.T) {
	t.Parallel()
	a := doc.NewAttachment("trace.txt", []byte("x"))
	path := a.Path()
	if hash, name, ok := doc.AttachmentAt(path); !ok || hash != a.Hash || name != a.Name || doc.KindOf(path) != doc.FileArtifact ||
		!doc.KnownDir("artifacts") || !doc.KnownDir("artifacts/"+a.Hash[:2]) {
		t.Errorf("%s is not the path of %+v", path, a)
	}
	for _, other := range []string{
		strings.ToUpper(path), path + "/x", strings.Replace(path, "artifacts/", "artifact/", 1), "artifacts/" + a.Hash + "-trace.txt",
		"artifacts/00/" + a.Hash + "-trace.txt", "artifacts/" + a.Hash[:2] + "/" + a.Hash, "artifacts/" + a.Hash[:2] + "/" + a.Hash + "-",
		"artifacts/" + a.Hash[:2] + "/" + a.Hash + "-a b", "artifacts//-", "artifacts/", "artifacts",
	} {
		if _, _, ok := doc.AttachmentAt(other); ok {
			t.Errorf("%q is accepted", other)
		}
	}
	for _, dir := range []string{"artifacts/abc", "artifacts/AB", "artifacts/a", "artifacts/ab/c", "artifacts/"} {
		if doc.KnownDir(dir) {
			t.Errorf("the folder %q is accepted", dir)
		}
	}
}

func TestStepsWithAttachments(t *testing.T) {
	t.Parallel()
	step := doc.Step{ID: someID, Number: 1, Agent: "a", Origin: "main", Observation: "blank", Time: time.Unix(1_700_000_000, 0).UTC(),
		Source: "s:1", Extra: "- mood: good\n",
		Attachments: []doc.Attachment{doc.NewAttachment("a.png", []byte("1")), doc.NewAttachment("b.png", nil)}}
	if err := step.Check(); err != nil {
		t.Fatal(err)
	}
	data := doc.FormatLog([]doc.Step{step})
	got, err := doc.ParseLog(data)
	if err != nil || len(got) != 1 || !reflect.DeepEqual(got[0], step) || !bytes.Equal(doc.FormatLog(got), data) {
		t.Fatalf("%+v, %v; want %+v from\n%s", got, err, step, data)
	}
	line := "- attachment: " + step.Attachments[0].Hash + " 1 a.png\n"
	for _, bad := range []string{
		line + line, strings.Repeat("x", 3), "- attachment: x 1 a.png\n", strings.Replace(line, " 1 ", " 01 ", 1),
		strings.Replace(line, " 1 ", " 1048577 ", 1), strings.Replace(line, "a.png", "../a", 1), strings.Replace(line, " a.png", "", 1),
	} {
		if _, err := doc.ParseLog([]byte(strings.Replace(string(data), line, bad, 1))); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	step.Attachments = make([]doc.Attachment, doc.MaxAttachments+1)
	for i := range step.Attachments {
		step.Attachments[i] = doc.NewAttachment("a", []byte{byte(i)})
	}
	if step.Check() == nil {
		t.Error("too many attachments are accepted")
	}
}
