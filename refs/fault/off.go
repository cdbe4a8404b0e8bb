//go:build !faults

package fault

// Point marks a point. It is empty, and costs nothing, in all builds but those for
// tests.
func Point(string) {}
