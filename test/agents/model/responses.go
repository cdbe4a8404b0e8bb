package model

import (
	"bytes"
	"encoding/json"
)

// declared is a tool of a request, or a namespace of tools.
type declared struct {
	Type   string     `json:"type"`
	Name   string     `json:"name"`
	Schema schema     `json:"parameters"`
	Tools  []declared `json:"tools"`
}

// toolSearch is the type of the tool by which the Responses API finds those that are not declared.
const toolSearch = "tool_search"

func parseResponses(body []byte) (*question, error) {
	var in struct {
		Model  string          `json:"model"`
		Stream bool            `json:"stream"`
		Input  json.RawMessage `json:"input"`
		Tools  []declared      `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	q := &question{stream: in.Stream, model: in.Model}
	if input := bytes.TrimSpace(in.Input); len(input) > 0 && input[0] == '[' {
		var messages []message // other items have no role
		if err := json.Unmarshal(input, &messages); err != nil {
			return nil, err
		}
		q.said = saidIn(messages)
		var found []struct {
			Tools []declared `json:"tools"` // of a search
		}
		if err := json.Unmarshal(input, &found); err != nil {
			return nil, err
		}
		for _, f := range found {
			in.Tools = append(in.Tools, f.Tools...)
		}
	} else {
		var text string
		if err := json.Unmarshal(input, &text); err != nil {
			return nil, err
		}
		q.said = []string{text}
	}
	for _, t := range in.Tools {
		for _, u := range t.Tools {
			q.tools = append(q.tools, tool{space: t.Name, name: u.Name, schema: u.Schema, text: u.Type == "custom"})
		}
		switch t.Type {
		case "function", "custom":
			q.tools = append(q.tools, tool{name: t.Name, schema: t.Schema, text: t.Type == "custom"})
		case toolSearch: // it has no name
			q.tools = append(q.tools, tool{name: toolSearch})
		}
	}
	return q, nil
}

func writeResponses(r *reply, q *question, a answer) {
	var items []object
	if a.say != "" {
		items = append(items, object{
			"type": "message", "id": "msg_" + a.id, "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": a.say, "annotations": []object{}}},
		})
	}
	for _, c := range a.calls {
		item := object{"id": "item_" + c.id, "call_id": c.id, "name": c.tool.name, "status": "completed"}
		if c.tool.space != "" {
			item["namespace"] = c.tool.space
		}
		if c.tool.name == toolSearch {
			item = object{"id": "item_" + c.id, "call_id": c.id, "status": "completed",
				"type": "tool_search_call", "execution": "client", "arguments": c.input}
		} else if c.tool.text {
			item["type"], item["input"] = "custom_tool_call", c.input
		} else {
			item["type"], item["arguments"] = "function_call", c.arguments()
		}
		items = append(items, item)
	}
	response := object{
		"id": "resp_" + a.id, "object": "response", "created_at": 1, "model": q.model, "status": "completed", "output": items,
		"usage": object{
			"input_tokens": a.tokens, "input_tokens_details": object{"cached_tokens": 0}, "output_tokens": 20,
			"output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": a.tokens + 20,
		},
	}
	if !r.stream {
		whole(r.w, response)
		return
	}
	n := 0
	event := func(name string, data object) {
		data["type"], data["sequence_number"] = name, n
		n++
		r.event(name, data)
	}
	begun := object{"id": response["id"], "object": "response", "created_at": 1,
		"model": q.model, "status": "in_progress", "output": []object{}}
	event("response.created", object{"response": begun})
	for i, item := range items {
		at := func(more object) object {
			more["item_id"], more["output_index"] = item["id"], i
			return more
		}
		event("response.output_item.added", object{"output_index": i, "item": bare(item)})
		switch item["type"] {
		case "message":
			event("response.output_text.delta", at(object{"content_index": 0, "delta": a.say}))
			event("response.output_text.done", at(object{"content_index": 0, "text": a.say}))
		case "function_call":
			event("response.function_call_arguments.delta", at(object{"delta": item["arguments"]}))
			event("response.function_call_arguments.done", at(object{"arguments": item["arguments"]}))
		}
		event("response.output_item.done", object{"output_index": i, "item": item})
	}
	event("response.completed", object{"response": response})
}

// bare is an item without what its later events bring.
func bare(item object) object {
	b := object{}
	for key, value := range item {
		b[key] = value
	}
	b["status"] = "in_progress"
	for key, empty := range map[string]any{"content": []object{}, "arguments": "", "input": ""} {
		if _, has := b[key]; has {
			b[key] = empty
		}
	}
	return b
}
