package mcp

import (
	"context"
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
	m.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: topicURI + "{key}", Name: "topic", Title: "A topic", MIMEType: markdown,
		Description: "the whole text of a topic"}, s.read)
}

func (s *server) read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
	var l line
	key, isTopic := strings.CutPrefix(req.Params.URI, topicURI)
	switch {
	case isTopic:
		l = line{"topics"}
		l.words(key)
	case req.Params.URI == topicsURI:
		l = line{"topics"}
	}
	dir, err := s.directory(ctx, req.Session, req.ClientCapabilities(), "")
	if err != nil {
		return nil, err
	}
	a := s.call(ctx, s.env(dir, &sdk.CallToolRequest{Session: req.Session, Params: &sdk.CallToolParamsRaw{Meta: req.Params.Meta}}), l)
	switch {
	case a.Err != nil && a.Err.Code == fail.TopicNotFound:
		return nil, sdk.ResourceNotFoundError(req.Params.URI)
	case a.Err != nil:
		return nil, &failure{a.Err}
	}
	return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "text/markdown", Text: a.Out}}}, nil
}
