package redact_test

import (
	"fmt"
	"log"

	"github.com/git-context/git-context/refs/redact"
)

// A secret is replaced by a mark that tells its kind. A placeholder is none.
func ExampleText() {
	text, found := redact.Text("git clone https://ada:Xw3r5Tq8vB@git.example.org/x.git; API_TOKEN=$TOKEN make")
	fmt.Println(text)
	for _, f := range found {
		fmt.Println(f.Kind, f.End-f.Start)
	}
	// Output:
	// git clone https://ada:[redacted:url-password]@git.example.org/x.git; API_TOKEN=$TOKEN make
	// url-password 10
}

// A project may have secrets of a form that nobody else knows.
func ExampleCompile() {
	rules, err := redact.Compile([]string{`\bbadge ([A-Z]{2}-\d{4})\b`})
	if err != nil {
		log.Fatal(err)
	}
	text, _ := rules.Text("the door opens with badge QX-1234")
	fmt.Println(text)
	// Output:
	// the door opens with badge [redacted:context.redact]
}
