//go:build unix && !race

package test

const raceDetector = false
