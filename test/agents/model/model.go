// Package model is a server that plays the model of a coding agent by a script. It speaks the
// Anthropic Messages API, the OpenAI Responses and chat completions APIs and the Gemini API, streamed
// and in one piece, on a loopback address.
//
// A request is answered with the next turn of the scene whose prompt comes last in the texts of the
// user; of the last scene, if there is none, because a client that compacts its history drops the
// prompt. For the same reason the server counts the turns, and not the results in a request. Where no
// scene was played, and if a request declares no tools (titles, summaries, checks), the answer is
// a fixed text.
//
// Tools are called by what a request declares: the first one that is known for a deed, with
// arguments that fit its schema. A client that renames a parameter needs no change here.
//
// Everything else that a client asks for is answered with 404 at once: some ask for packages and
// models, and try again for a minute if it gets no answer.
package model

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is a running model.
type Server struct {
	URL string // such as "http://127.0.0.1:40000"

	log  string
	http *http.Server

	mu       sync.Mutex
	scenes   []Scene
	next     []int // of each scene
	last     int   // the scene that was played; -1: none
	asked    []Request
	ids      int
	failures []error
}

// Request is one that the model got.
type Request struct {
	API   string // anthropic, responses, gemini, chat; "" for anything else
	Path  string
	Body  string
	Tools []string // the names of those that it declares, with their namespace
	Scene string   // the prompt of the scene that was played; "" for a fixed answer
	Turn  int
}

// Start starts a model that writes the body of each request to a file of a directory.
func Start(log string) (*Server, error) {
	if err := os.MkdirAll(log, 0o777); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String(), log: log, last: -1}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.http.Serve(l) }() // it returns when Close was called
	return s, nil
}

// Close ends the server, and all connections. It returns what could not be logged or answered.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(append(s.failures, s.http.Close())...)
}

// Play replaces the script.
func (s *Server) Play(scenes ...Scene) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scenes, s.next, s.last = scenes, make([]int, len(scenes)), -1
}

// Requests returns what the model was asked since the last call, oldest first.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

// ServeHTTP answers a client.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := bodyOf(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a, ok := apiOf(r)
	if !ok {
		s.keep(Request{Path: r.URL.Path, Body: string(body)})
		elsewhere(w, r)
		return
	}
	q, err := a.parse(body)
	if err != nil {
		s.keep(Request{API: a.name, Path: r.URL.Path, Body: string(body)})
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q.stream = q.stream || strings.HasSuffix(r.URL.Path, ":streamGenerateContent")
	answer, turn := s.choose(a, r.URL.Path, q, string(body))
	select {
	case <-time.After(turn.Wait):
	case <-r.Context().Done():
		return
	}
	a.write(&reply{w: w, stream: q.stream}, q, answer)
}

// elsewhere answers what is no question to the model.
func elsewhere(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/count_tokens"):
		whole(w, object{"input_tokens": 100})
	case strings.HasSuffix(path, ":countTokens"):
		whole(w, object{"totalTokens": 100})
	case strings.HasSuffix(path, "/models"):
		whole(w, object{"object": "list", "data": []object{{"id": "scripted-model", "object": "model", "type": "model"}}})
	default:
		http.NotFound(w, r)
	}
}

// choose takes the next turn for a request.
func (s *Server) choose(a api, path string, q *question, body string) (answer, Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := Request{API: a.name, Path: path, Body: body}
	for _, t := range q.tools {
		asked.Tools = append(asked.Tools, strings.TrimPrefix(t.space+"."+t.name, "."))
	}
	turn := Say("Scripted.")
	if i := s.sceneOf(q); i >= 0 {
		turns := s.scenes[i].Turns
		asked.Scene, asked.Turn = s.scenes[i].Prompt, s.next[i]
		turn = turns[min(s.next[i], len(turns)-1)]
		s.next[i]++
		s.last = i
	}
	s.record(asked)
	got := answer{say: turn.Say, tokens: turn.Tokens}
	if got.tokens == 0 {
		got.tokens = 1 + len(body)/4
	}
	for _, d := range turn.Deeds {
		got.calls = append(got.calls, q.call(d))
	}
	for i := range got.calls {
		got.calls[i].id = s.id("call")
	}
	got.id = s.id("answer")
	return got, turn
}

// sceneOf returns the scene whose prompt the user said last, or the last one; -1 if there is none.
func (s *Server) sceneOf(q *question) int {
	if len(q.tools) == 0 {
		return -1
	}
	found, where := s.last, -1
	said := strings.Join(q.said, "\n")
	for i, scene := range s.scenes {
		if at := strings.LastIndex(said, scene.Prompt); at > where && len(scene.Turns) > 0 {
			found, where = i, at
		}
	}
	return found
}

// id makes a name that no other answer has: some clients keep what they saw by its name.
func (s *Server) id(prefix string) string {
	s.ids++
	return fmt.Sprintf("%s_%06d", prefix, s.ids)
}

func (s *Server) keep(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(r)
}

func (s *Server) record(r Request) {
	s.asked = append(s.asked, r)
	s.ids++
	name := fmt.Sprintf("%04d-%s.json", s.ids, strings.Trim(strings.ReplaceAll(r.Path, "/", "-"), "-"))
	if err := os.WriteFile(filepath.Join(s.log, name), []byte(r.Body), 0o666); err != nil {
		s.failures = append(s.failures, err)
	}
}

// bodyOf returns what a client sent, decompressed.
func bodyOf(r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("Content-Encoding") != "gzip" {
		return body, err
	}
	unzip, err := gzip.NewReader(strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(unzip)
}

// apiOf finds out by the path which API a client speaks.
func apiOf(r *http.Request) (api, bool) {
	if r.Method != http.MethodPost {
		return api{}, false
	}
	i := slices.IndexFunc(apis(), func(a api) bool {
		return slices.ContainsFunc(a.paths, func(end string) bool { return strings.HasSuffix(r.URL.Path, end) })
	})
	if i < 0 {
		return api{}, false
	}
	return apis()[i], true
}

// object is a JSON object.
type object map[string]any

// reply is how an answer is written.
type reply struct {
	w      http.ResponseWriter
	stream bool
	begun  bool
}

// event writes one event of a stream. A client that went away is no failure: it was interrupted.
func (r *reply) event(name string, data any) {
	if !r.begun {
		r.w.Header().Set("Content-Type", "text/event-stream")
		r.begun = true
	}
	text, isText := data.(string)
	if !isText {
		encoded, _ := json.Marshal(data) // objects of texts and numbers
		text = string(encoded)
	}
	if name != "" {
		_, _ = fmt.Fprintf(r.w, "event: %s\n", name)
	}
	_, _ = fmt.Fprintf(r.w, "data: %s\n\n", text)
	if f, ok := r.w.(http.Flusher); ok {
		f.Flush()
	}
}

// whole writes an answer in one piece.
func whole(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(data) // as event
}
