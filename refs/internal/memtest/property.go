package memtest

import (
	"context"
	"flag"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// propertyTB fails one case of a property, so that rapid can shrink it, where a helper would
// fail the whole test.
type propertyTB struct {
	testing.TB
	rt *rapid.T
}

func (p propertyTB) Helper()                      { p.rt.Helper() }
func (p propertyTB) Context() context.Context     { return p.rt.Context() }
func (p propertyTB) Cleanup(end func())           { p.rt.Cleanup(end) }
func (p propertyTB) Fatal(args ...any)            { p.rt.Fatal(args...) }
func (p propertyTB) Fatalf(f string, args ...any) { p.rt.Fatalf(f, args...) }
func (p propertyTB) Errorf(f string, args ...any) { p.rt.Fatalf(f, args...) }
func (p propertyTB) Error(args ...any)            { p.rt.Fatal(args...) }

// Check checks a property on n random cases, or on as many as -rapid.checks says: for
// properties that start hundreds of processes, of which rapid's default is too many.
func Check(t *testing.T, n int, prop func(testing.TB, *rapid.T)) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() != f.DefValue {
		n = math.MaxInt
	}
	played, failed := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		if played == n && !failed {
			return
		}
		played++
		failed = true
		prop(propertyTB{t, rt}, rt)
		failed = false
	})
	t.Logf("%d histories", played)
}
