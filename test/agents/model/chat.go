package model

import "encoding/json"

func parseChat(body []byte) (*question, error) {
	var in struct {
		Model    string    `json:"model"`
		Stream   bool      `json:"stream"`
		Messages []message `json:"messages"`
		Tools    []struct {
			Function struct {
				Name   string `json:"name"`
				Schema schema `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	q := &question{said: saidIn(in.Messages), stream: in.Stream, model: in.Model}
	for _, t := range in.Tools {
		q.tools = append(q.tools, tool{name: t.Function.Name, schema: t.Function.Schema})
	}
	return q, nil
}

func writeChat(r *reply, q *question, a answer) {
	var calls []object
	for i, c := range a.calls {
		calls = append(calls, object{
			"index": i, "id": c.id, "type": "function", "function": object{"name": c.tool.name, "arguments": c.arguments()},
		})
	}
	reason := "stop"
	if len(calls) > 0 {
		reason = "tool_calls"
	}
	usage := object{"prompt_tokens": a.tokens, "completion_tokens": 20, "total_tokens": a.tokens + 20}
	if !r.stream {
		msg := object{"role": "assistant", "content": a.say}
		if len(calls) > 0 {
			msg["tool_calls"] = calls
		}
		whole(r.w, object{
			"id": a.id, "object": "chat.completion", "created": 1, "model": q.model, "usage": usage,
			"choices": []object{{"index": 0, "message": msg, "finish_reason": reason}},
		})
		return
	}
	chunk := func(choices []object, usage any) {
		r.event("", object{"id": a.id, "object": "chat.completion.chunk", "created": 1,
			"model": q.model, "choices": choices, "usage": usage})
	}
	delta := func(d object, reason any) { chunk([]object{{"index": 0, "delta": d, "finish_reason": reason}}, nil) }
	delta(object{"role": "assistant", "content": a.say}, nil)
	for _, c := range calls {
		delta(object{"tool_calls": []object{c}}, nil)
	}
	delta(object{}, reason)
	chunk([]object{}, usage)
	r.event("", "[DONE]")
}
