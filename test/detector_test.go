//go:build unix && race

package test

// raceDetector is on where the test binary, which is git-context too, was built with it.
const raceDetector = true
