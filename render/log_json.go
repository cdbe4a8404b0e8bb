package render

import (
	"bufio"
	"bytes"
	"context"
	"io"

	"github.com/git-context/git-context/refs"
	"github.com/git-context/git-context/refs/doc"
	"github.com/git-context/git-context/refs/history"
	"github.com/git-context/git-context/refs/store"
)

// logBuffer is how many bytes of a Log are collected, so that an error comes before all of a usual one.
const logBuffer = 1 << 20

// WriteLog writes the [Log] that [NewLog] returns as one JSON document, with whole texts. It holds one large document
// of steps at a time: ten steps of 31 MiB would take two gigabytes.
func WriteLog(ctx context.Context, s *refs.Store, w Where, skip, steps int, out io.Writer) error {
	tip, err := w.tip(ctx, s)
	if err != nil {
		return err
	}
	list, err := history.ListSteps(ctx, s, tip, skip, steps)
	if err != nil {
		return err
	}
	head := Log{Branch: tip.Name(), Total: list.Total, Skip: skip, Steps: []store.Step{}, At: tip.At()}
	var frame bytes.Buffer
	if err := WriteJSON(&frame, head); err != nil {
		return err
	}
	// In a text of JSON there is a backslash before each quotation mark, so that this is the key.
	const key = `"steps":[`
	at := bytes.Index(frame.Bytes(), []byte(key)) + len(key)
	b := bufio.NewWriterSize(out, logBuffer)
	b.Write(frame.Bytes()[:at])
	between := ""
	err = list.Each(ctx, func(step store.Step) error {
		b.WriteString(between)
		between = ","
		return writeStep(b, step)
	})
	if err != nil {
		return err
	}
	b.Write(frame.Bytes()[at:])
	return b.Flush() // also of an error of an earlier write
}

// writeStep writes a step as WriteJSON does, without a line end, and its texts in pieces.
func writeStep(b *bufio.Writer, step store.Step) error {
	texts := []string{step.Observation, step.Thought, step.Action}
	step.Observation, step.Thought, step.Action = "", "", ""
	var frame bytes.Buffer
	if err := WriteJSON(&frame, step); err != nil {
		return err
	}
	rest := bytes.TrimSuffix(frame.Bytes(), []byte("\n"))
	for i, key := range []string{`"observation":"`, `"thought":"`, `"action":"`} {
		at := bytes.Index(rest, []byte(key)) + len(key)
		b.Write(rest[:at])
		rest = rest[at:]
		if err := writeText(b, texts[i]); err != nil {
			return err
		}
	}
	_, err := b.Write(rest)
	return err
}

// writeText writes what JSON has between the quotation marks of a text.
func writeText(b *bufio.Writer, text string) error {
	for text != "" {
		piece := doc.ShortText(text, shownQuote)
		text = text[len(piece):]
		var quoted bytes.Buffer
		if err := WriteJSON(&quoted, piece); err != nil {
			return err
		}
		inner := quoted.Bytes()[1 : quoted.Len()-len("\"\n")]
		if _, err := b.Write(inner); err != nil {
			return err
		}
	}
	return nil
}
