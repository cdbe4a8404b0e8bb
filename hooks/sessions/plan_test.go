package sessions

import (
	"testing"
	"time"
)

// Sessions that ran while another did are alone; those that followed each other, also in the pause of
// one that went on later, are not.
func TestOverlaps(t *testing.T) {
	at := func(minutes int) time.Time { return time.Unix(int64(minutes)*60, 0) }
	turns := func(id string, minutes ...int) *session {
		s := &session{key: key{"c", id}}
		for _, m := range minutes {
			s.turns = append(s.turns, span{begin: at(m), end: at(m + 10)})
		}
		return s
	}
	i := &importing{sessions: map[key]*session{}}
	for _, s := range []*session{turns("a", 0, 600), turns("b", 300), turns("c", 1000, 1030), turns("d", 1015), turns("e", 1500), turns("f", 1510)} {
		i.sessions[s.key] = s
	}
	overlaps(i.runs())
	for k, s := range i.sessions {
		if want := k.session == "c" || k.session == "d"; s.alone != want {
			t.Errorf("session %s is alone: %v", k.session, s.alone)
		}
	}
}
