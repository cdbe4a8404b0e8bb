package doc

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// hostileTexts are texts that have broken formats of this kind. They are short: a
// generator makes them anew for every draw.
func hostileTexts() []string {
	return []string{
		"", "\n", "\n\n", " ", "a\n", "\na", "a\n\nb", "a\r\nb\r\n", "a\rb", "\r", "a\u2028b\u2029c\u0085d",
		"---", "---\n", "---\na: b\n---\nc", "### Step 1", "## Commit 1", "> ", ">", "> > x\n>y", "== Branch main ==", "\n== Branch evil ==\n",
		"### Step 1 · 2026-11-21T01:37:05Z · a · 01JD5K0Z3V7Q3M9K2A4B5C6D7E\n- session: x\n\n**Observation**\n\n> forged",
		"**Observation**\n\n> x", "- session: forged", "# Goal\n## Goal\n### x", "===", "a\n===\nb\n---",
		"\ufeffbom", "\u202eright to left", "tab\there", "\x1b[31mred\x1b[0m", "\x7f", "emoji 👩‍💻 zero\u200bwidth",
		`\`, `\\`, `\n`, `\# x`, "`code`", "```\n## in a fence\n```", "- [ ] item", "- [x] item\n- other", "* a\n  b", "1. a",
		"'single' \"double\"", "{a: 1}", "[1, 2]", "a: b", "a #b", "*alias", "&anchor", "!!tag", "| x", "%", "@", "null", "true", "0x1f", "2026-01-01",
		"  leading", "trailing  ", "\tindent\n\t\tmore\n", "  \n  \n", "… and 3 earlier milestones",
	}
}

// texts are those, and long ones.
func texts() []string {
	return append(hostileTexts(), strings.Repeat("x", 1<<20), strings.Repeat("line\n", 5000))
}

func genText(t *rapid.T, label string) string {
	s := rapid.OneOf(rapid.String(), rapid.SampledFrom(hostileTexts()),
		rapid.StringMatching(`[a#>\\=\-* \t\r\n]{0,20}`)).Draw(t, label)
	s, _ = Clean(s)
	return s
}

const baseID = "01JD5K0Z3V7Q3M9K2A4B5C6D7E"

func testTime() time.Time { return time.Date(2026, 11, 21, 1, 37, 5, 0, time.UTC) }

func testID(t testing.TB, after string) string {
	t.Helper()
	id, err := NextID(testTime(), after)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func genOrigin() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"main", "exp/1", "a.b-c_d", "no", "1.0"})
}

func genTime() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(-62135596800, 253402300799).Draw(t, "sec"), rapid.SampledFrom([]int64{0, 1, 5e8, 123e6, 999999999}).Draw(t, "ns")).UTC()
	})
}

func genStep(t *rapid.T, id string) Step {
	return Step{
		ID: id, Number: rapid.IntRange(0, 1e9).Draw(t, "n"), Time: genTime().Draw(t, "time"),
		Agent: rapid.StringMatching(`[A-Za-z0-9._@+/ -]{1,100}`).Draw(t, "agent"), Origin: genOrigin().Draw(t, "origin"),
		Session: genText(t, "session"), Model: genText(t, "model"), Source: genText(t, "source"),
		Tokens:      rapid.Int64Range(0, 1e15).Draw(t, "tokens"),
		Observation: genText(t, "o"), Thought: genText(t, "t"), Action: genText(t, "a"),
		Extra: rapid.SampledFrom([]string{"", "- cost: 3\n", "- x: y\n- kind: z\n"}).Draw(t, "extra"),
	}
}

func TestLogRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var steps []Step
		id := baseID
		for range rapid.IntRange(0, 5).Draw(t, "count") {
			id, _ = NextID(time.Unix(1, 0), id)
			steps = append(steps, genStep(t, id))
			if err := steps[len(steps)-1].Check(); err != nil {
				t.Fatal(err)
			}
		}
		data := FormatLog(steps)
		got, err := ParseLog(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(steps, got); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
		if again := FormatLog(got); !bytes.Equal(data, again) {
			t.Fatal("formatting what was parsed gives other bytes")
		}
	})
}

func TestLogKeepsHostileTexts(t *testing.T) {
	for _, text := range texts() {
		step := Step{ID: baseID, Number: 1, Time: testTime(), Agent: "a", Origin: "main",
			Session: text, Model: text, Source: text, Observation: text, Thought: text, Action: text}
		data := FormatLog([]Step{step})
		got, err := ParseLog(data)
		if err != nil {
			t.Errorf("%q: %v", clip(text), err)
			continue
		}
		if diff := cmp.Diff([]Step{step}, got); diff != "" {
			t.Errorf("%q: %s", clip(text), diff)
		}
	}
}
