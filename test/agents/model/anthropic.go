package model

import "encoding/json"

func parseAnthropic(body []byte) (*question, error) {
	var in struct {
		Model    string    `json:"model"`
		Stream   bool      `json:"stream"`
		Messages []message `json:"messages"`
		Tools    []struct {
			Name   string `json:"name"`
			Schema schema `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	q := &question{said: saidIn(in.Messages), stream: in.Stream, model: in.Model}
	for _, t := range in.Tools {
		q.tools = append(q.tools, tool{name: t.Name, schema: t.Schema})
	}
	return q, nil
}

func writeAnthropic(r *reply, q *question, a answer) {
	var blocks []object
	if a.say != "" {
		blocks = append(blocks, object{"type": "text", "text": a.say})
	}
	for _, c := range a.calls {
		blocks = append(blocks, object{"type": "tool_use", "id": "toolu_" + c.id, "name": c.tool.name, "input": c.input})
	}
	reason := "end_turn"
	if len(a.calls) > 0 {
		reason = "tool_use"
	}
	msg := object{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": q.model,
		"content": blocks, "stop_reason": reason, "stop_sequence": nil,
		"usage": object{"input_tokens": a.tokens, "output_tokens": 20},
	}
	if !r.stream {
		whole(r.w, msg)
		return
	}
	event := func(name string, data object) {
		data["type"] = name
		r.event(name, data)
	}
	msg["content"], msg["stop_reason"] = []object{}, nil
	event("message_start", object{"message": msg})
	for i, b := range blocks {
		start, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": b["text"]}
		if b["type"] == "tool_use" {
			input, _ := json.Marshal(b["input"]) // an object of texts and numbers
			start = object{"type": "tool_use", "id": b["id"], "name": b["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(input)}
		}
		event("content_block_start", object{"index": i, "content_block": start})
		event("content_block_delta", object{"index": i, "delta": delta})
		event("content_block_stop", object{"index": i})
	}
	event("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil},
		"usage": object{"output_tokens": 20}})
	event("message_stop", object{})
}
