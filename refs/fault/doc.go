// Package fault names the points between the steps of what git-context does, so
// that a test can kill the process at each.
//
// A point exists where what is on the disk differs from what it was at the point
// before, and is named after what has just happened ("after-refs") or is about to
// ("before-rename"). Only a build with the tag faults has them. There these
// variables of the environment say what happens:
//
//	GIT_CONTEXT_FAULT=after-refs     die at the first passing of that point
//	GIT_CONTEXT_FAULT=after-refs:2   die at its third passing
//	GIT_CONTEXT_FAULT=any:2          die at the third passing of any point
//	GIT_CONTEXT_FAULT_LOG=FILE       append the name of each point that is passed, a line each
//
// To die is what kill -9 does: nothing is deferred, flushed or unlocked.
package fault
