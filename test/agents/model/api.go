package model

import (
	"encoding/json"
	"strings"
)

// api is one of the ways to ask.
type api struct {
	name  string
	paths []string // the ends of its paths
	parse func(body []byte) (*question, error)
	write func(*reply, *question, answer)
}

func apis() []api {
	return []api{
		{"anthropic", []string{"/messages"}, parseAnthropic, writeAnthropic},
		{"responses", []string{"/responses"}, parseResponses, writeResponses},
		{"gemini", []string{":generateContent", ":streamGenerateContent"}, parseGemini, writeGemini},
		{"chat", []string{"/chat/completions"}, parseChat, writeChat},
	}
}

// content is the content of a message: a text, or parts.
type content []part

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// UnmarshalJSON reads both forms.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]part)(c))
}

// text returns the texts of the parts; those of tools have none.
func (c content) text() string {
	var texts []string
	for _, p := range c {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// message is one of an Anthropic or chat request.
type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

func saidIn(messages []message) (said []string) {
	for _, m := range messages {
		if text := m.Content.text(); m.Role == "user" && text != "" {
			said = append(said, text)
		}
	}
	return said
}
