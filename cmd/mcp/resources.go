package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/git-context/git-context/refs/fail"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The addresses of resources.
const (
	briefURI  = "git-context://brief"
	topicsURI = "git-context://topics"
	topicURI  = "git-context://topics/"
)

func (s *server) addResources(m *sdk.Server) {
	const markdown = "text/markdown"
	m.AddResource(&sdk.Resource{URI: briefURI, Name: "brief", Title: "The brief", MIMEType: markdown,
		Description: "what a successor needs to know, as the tool context without arguments shows it"}, s.read)
	m.AddResource(&sdk.Resource{URI: topicsURI, Name: "topics", Title: "The topics", MIMEType: markdown,
		Description: "the keys of all topics, with their first lines"}, s.read)
	m.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: topicURI + "{key}", Name: "topic", Title: "A topic",
		MIMEType: markdown, Description: "the whole text of a topic"}, s.read)
}

func (s *server) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	var in contextIn // what the tool context would be called with
	key, isTopic := strings.CutPrefix(req.Params.URI, topicURI)
	in.Topic, in.Topics = key, req.Params.URI == topicsURI
	switch {
	case !isTopic:
		in.Topic = ""
	case key == "":
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	}
	dir, err := s.directory(ctx, req.Session, req.ClientCapabilities(), "")
	if err != nil {
		return nil, err
	}
	call := &sdk.CallToolRequest{Session: req.Session, Params: &sdk.CallToolParamsRaw{Meta: req.Params.Meta}}
	a := s.call(ctx, s.env(dir, call), in.line())
	switch {
	case a.Err != nil && a.Err.Code == fail.TopicNotFound:
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	case a.Err != nil:
		return nil, &failure{a.Err}
	}
	text, err := page(a.Out, in)
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{
		{URI: req.Params.URI, MIMEType: "text/markdown", Text: text},
	}}, nil
}

// mostEnd is the size of the line that ends a text which was cut, in bytes of JSON.
const mostEnd = 300

// page returns a text of at most the size of a result. The protocol has no cursor for a resource, so that the text
// itself says how much is missing, and which call of the tool context continues it. A text that is empty would be
// missing in the answer, which clients refuse.
func page(text string, in contextIn) (string, error) {
	if text == "" {
		return "(nothing yet)\n", nil
	}
	head, next, err := pageText(text, "", mostBytes-mostEnd)
	if err != nil || next == "" {
		return head, err
	}
	in.Cursor = next
	call, err := json.Marshal(in)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s\n(%d bytes more: call the tool context with %s)\n", head, len(text)-len(head), call), nil
}
