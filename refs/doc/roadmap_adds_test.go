package doc

import (
	"strings"
	"testing"
)

// Only more items in one place take nothing away for certain.
func TestOnlyAdds(t *testing.T) {
	const before = "# Roadmap\n\n## To-Do\n\n- [ ] one\n  more of one\n- [ ] two\n\n## Rules\n\ntext\n"
	for _, c := range []struct {
		at, add string
		want    bool
	}{
		{"- [ ] two", "- [ ] new\n", true},
		{"\n## Rules", "- [ ] new\n- [x] newer\n", true},
		{"- [ ] one", "## Goal\n", false},
		{"- [ ] one", "```\n", false},
		{"  more of one", "- [ ] new\n", false},
		{"two", "not ", false},
		{"text", "- item\n", false},
		{"", "", true},
	} {
		now := before
		if c.at != "" {
			now = strings.Replace(before, c.at, c.add+c.at, 1)
		}
		if got := OnlyAdds(before, now); got != c.want {
			t.Errorf("%q before %q: %v; want %v", c.add, c.at, got, c.want)
		}
	}
	if OnlyAdds(before, strings.Replace(before, "- [ ] two\n", "", 1)) {
		t.Error("an item that is gone")
	}
}
