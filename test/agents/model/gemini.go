package model

import "encoding/json"

func parseGemini(body []byte) (*question, error) {
	var in struct {
		Contents []struct {
			Role  string  `json:"role"`
			Parts content `json:"parts"`
		} `json:"contents"`
		Tools []struct {
			Functions []struct {
				Name       string `json:"name"`
				Schema     schema `json:"parametersJsonSchema"`
				Parameters schema `json:"parameters"`
			} `json:"functionDeclarations"`
		} `json:"tools"`
		Config struct {
			Form string `json:"responseMimeType"`
		} `json:"generationConfig"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	q := &question{json: in.Config.Form == "application/json"}
	for _, c := range in.Contents {
		if text := c.Parts.text(); c.Role == "user" && text != "" {
			q.said = append(q.said, text)
		}
	}
	for _, t := range in.Tools {
		for _, f := range t.Functions {
			s := f.Schema
			if len(s.Properties) == 0 {
				s = f.Parameters
			}
			q.tools = append(q.tools, tool{name: f.Name, schema: s})
		}
	}
	return q, nil
}

func writeGemini(r *reply, q *question, a answer) {
	var parts []object
	switch {
	case q.json && len(a.calls) == 0: // whether the agent should go on; which model should answer
		parts = append(parts, object{"text": `{"reasoning":"scripted","next_speaker":"user","model_choice":"flash"}`})
	case a.say != "":
		parts = append(parts, object{"text": a.say})
	}
	for _, c := range a.calls {
		parts = append(parts, object{"functionCall": object{"id": c.id, "name": c.tool.name, "args": c.input}})
	}
	response := func(parts []object, reason any) object {
		candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
		if reason != nil {
			candidate["finishReason"] = reason
		}
		return object{
			"responseId": a.id, "modelVersion": "scripted", "candidates": []object{candidate},
			"usageMetadata": object{"promptTokenCount": a.tokens, "candidatesTokenCount": 20, "totalTokenCount": a.tokens + 20},
		}
	}
	if !r.stream {
		whole(r.w, response(parts, "STOP"))
		return
	}
	for i := range parts {
		var reason any
		if i == len(parts)-1 {
			reason = "STOP"
		}
		r.event("", response(parts[i:i+1], reason))
	}
}
