//go:build !faults

package refs

// fault names a point at which a test build can be killed. It is empty in every
// other build.
func fault(string) {}
