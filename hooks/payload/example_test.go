package payload_test

import (
	"fmt"
	"log"

	"github.com/git-context/git-context/hooks/payload"
)

func Example() {
	e, err := payload.Read(payload.Codex, "Stop", []byte(`{"session_id":"s","turn_id":"t","cwd":"/r","hook_event_name":"Stop","last_assistant_message":"Done."}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Kind == payload.TurnEnd, e.Session, e.Final)
	out, err := payload.Inject(payload.Codex, "SessionStart", "The goal is to parse dates.")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(out))
	// Output:
	// true s Done.
	// {"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"The goal is to parse dates."}}
}
