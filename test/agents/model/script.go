package model

import "time"

// Scene is what the model does for a prompt. A scene is played when its prompt is the one that a
// request asks last.
type Scene struct {
	Prompt string // a text that is in the prompt and in no other text of a user
	Turns  []Turn // one for each request; the last one is repeated
}

// Turn is the answer to one request.
type Turn struct {
	Say    string
	Deeds  []Deed
	Wait   time.Duration // before the answer
	Tokens int           // what the request is said to have cost; 0: as many as fit its length
}

// Deed is a call of a tool, in words that no client has: the server translates it to the tools
// that a request declares.
type Deed struct {
	kind kind
	path string
	text string // of a file, a command line, the prompt of a subagent
	call call   // of a tool by its name
}

type kind int

const (
	shell kind = iota
	read
	write
	spawn
	named
)

// Shell runs a command line.
func Shell(line string) Deed { return Deed{kind: shell, text: line} }

// Read reads a file.
func Read(path string) Deed { return Deed{kind: read, path: path} }

// Write makes a file.
func Write(path, text string) Deed { return Deed{kind: write, path: path, text: text} }

// Spawn starts a subagent with a prompt.
func Spawn(prompt string) Deed { return Deed{kind: spawn, text: prompt} }

// Call calls a tool of a server of the Model Context Protocol, with an object of arguments.
func Call(server, name string, arguments map[string]any) Deed {
	return Deed{kind: named, call: call{tool: tool{space: server, name: name}, input: object(arguments)}}
}

// Search finds the tools that a client declares only then.
func Search(words string) Deed {
	return Deed{kind: named, call: call{tool: tool{name: toolSearch}, input: object{"query": words}}}
}

// Say is a turn that only talks.
func Say(text string) Turn { return Turn{Say: text} }

// Do is a turn that calls tools.
func Do(deeds ...Deed) Turn { return Turn{Deeds: deeds} }
