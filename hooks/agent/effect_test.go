package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEffectOf(t *testing.T) {
	for line, want := range map[string]Effect{
		"ls -l | head":                         {},
		"cat a 2>/dev/null":                    {},
		"go test ./... 2>&1":                   {Runs: true},
		"cat >>a_test.go <<'EOF'\nx > y\nEOF":  {Writes: []string{"a_test.go"}, Changes: true},
		"sed -i 's/a/b/' x.go y.go && go test": {Writes: []string{"x.go", "y.go"}, Changes: true, Runs: true},
		"sed -n 1,9p x.go":                     {},
		"git apply x.patch":                    {Changes: true},
		"git commit -m x":                      {Runs: true},
		"echo x | tee -a 'b c'":                {Writes: []string{"b c"}, Changes: true},
		"cd /tmp && rm -r x":                   {},
		"python a.py > out.txt":                {Writes: []string{"out.txt"}, Changes: true, Runs: true},
		"":                                     {},
	} {
		if diff := cmp.Diff(want, EffectOf(line)); diff != "" {
			t.Errorf("%q: %s", line, diff)
		}
	}
}
