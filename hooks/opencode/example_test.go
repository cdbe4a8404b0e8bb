package opencode_test

import (
	"fmt"

	"github.com/git-context/git-context/hooks/opencode"
)

func ExampleEvents() {
	payload := `{"session_id":"s","cwd":"/r","messages":[{"info":{"id":"m","role":"assistant"},"parts":[
		{"id":"p","type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"make"},"output":"done"}}]}]}`
	for _, e := range opencode.Events("activity", []byte(payload)) {
		fmt.Printf("%q %q %q\n", e.Tool, e.Argument, e.Text)
	}
	// Output:
	// "bash" "make" ""
	// "" "" "done"
}
