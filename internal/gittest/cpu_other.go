//go:build !unix

package gittest

import (
	"testing"
	"time"
)

// CPU returns the time of the clock where that of the processor is not known.
func CPU(testing.TB) time.Duration { return time.Duration(time.Now().UnixNano()) }
