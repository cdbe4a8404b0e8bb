package expunge

import (
	"testing"

	"github.com/git-context/git-context/refs/internal/statetest"
)

// Fields of a file of local state end no program, whoever wrote them.
func FuzzIntentFile(f *testing.F) {
	statetest.Fuzz(f, func(*intentFile) {}, `{"version":1,"expunged":"entry 01JD5K0Z3V7Q3M9K2A4B5C6D7E\n","old":["1"]}`)
}
