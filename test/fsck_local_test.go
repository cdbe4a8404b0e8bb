package test

// localRows are the ways in which local state and refs can break.
func localRows() []broken {
	return []broken{
		{name: "intent", kind: "intent-unreadable", breaks: func(w *world) { w.put("context/intent/main.json", "{") }},
		{name: "expunge", kind: "expunge-unreadable", breaks: func(w *world) { w.put("context/expunge.json", "{") }},
	}
}
