// Package statetest fuzzes how files of local state are read. Only tests use it.
package statetest

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Fuzz decodes arbitrary bytes as a state, calls use with it, and fails if the state that
// is written then is read back differently.
func Fuzz[T any](f *testing.F, use func(*T), seeds ...string) {
	for _, text := range append(seeds, "null", "[]", "{", `{"version":1e400}`, `{"conflicts":{}}`, "\x00") {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		one := new(T)
		if json.NewDecoder(bytes.NewReader(data)).Decode(one) != nil {
			return
		}
		use(one)
		text, err := json.Marshal(one)
		if err != nil {
			t.Fatalf("%+v cannot be written: %v", one, err)
		}
		two := new(T)
		if err := json.Unmarshal(text, two); err != nil {
			t.Fatalf("%s cannot be read: %v", text, err)
		}
		if again, err := json.Marshal(two); err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s is written again as %s: %v", text, again, err)
		}
	})
}
