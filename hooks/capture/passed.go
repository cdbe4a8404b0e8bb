package capture

import (
	"time"

	"github.com/git-context/git-context/hooks/agent"
)

// passedOver reports whether a record is not of what the hooks saw:
//
//  1. a transcript that is read from its beginning, because it was rewritten, contains what was before the position;
//  2. a fork begins with a copy of another session's records, and what hooks saw of these was recorded;
//  3. the transcript of a resumed session did not exist under the path that the client gave at its start, as
//     Gemini CLI does, so that there was no position.
//
// The copy may take more than one reading, so that the position does not matter to the last two.
func (st *state) passedOver(from int64, copied bool, at time.Time) bool {
	switch {
	case at.IsZero():
		return false
	case from == 0 && at.Before(st.From):
		return true
	}
	return at.Before(st.Since) && (st.Resumed || copied)
}

// turns adds the turns of a report that are not passed over; steps are all that were read. The words of a turn
// that began before what may have been expunged ended may quote that.
func (c *capturing) turns(got *read, from int64, turns []agent.Turn, steps []agent.Step) {
	for n, t := range turns {
		if c.state.passedOver(from, t.Copied, t.End) || c.state.unsure(from, t.Begin) {
			continue
		}
		got.turns = append(got.turns, t)
		if n < len(turns)-1 {
			continue
		}
		if got.stopped = t.Cut; !t.Done || t.Cut {
			got.cut = steps[max(0, len(steps)-t.Steps):]
		}
	}
}
