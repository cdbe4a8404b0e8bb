package main

import "errors"

// costs are what one sync takes beside so many refs: the measured medians, taken apart
// by what happens when. Milliseconds of one core, and bytes.
type costs struct {
	commit  float64 // of the client: RECORD and COMMIT
	survey  float64 // of the client: what a sync with nothing to do takes
	push    float64 // of the client: notes, the push, tracking refs
	merge   float64 // of the client: a branch that diverged
	answer  float64 // of the host: a fetch that brings nothing
	offer   float64 // of the host: what it says to a push before it is sent anything
	receive float64 // of the host: the rest of a push
	// Of each milestone of others that a fetch brings, with its note.
	news fetched
	// Of that, what the note alone is.
	note                  fetched
	fetchBytes, pushBytes float64
	disk                  float64 // on the host, of a milestone, after gc
	loose                 float64 // before it
}

// fetched is what something that came costs the host and the client.
type fetched struct{ host, client, bytes float64 }

func (f fetched) times(n float64) fetched { return fetched{f.host * n, f.client * n, f.bytes * n} }

func (f fetched) plus(g fetched) fetched {
	return fetched{f.host + g.host, f.client + g.client, f.bytes + g.bytes}
}

// costsAt reads the costs from what was measured.
func costsAt(l rows, refs int) (costs, error) {
	var errs []error
	at := func(experiment, metric string, size int) float64 {
		v, err := l.at(experiment, viaDaemon, metric, float64(size))
		errs = append(errs, err)
		return v
	}
	c := costs{
		commit:     at("one", "commit ms", refs),
		survey:     at("idle", "client cpu ms", refs),
		answer:     at("idle", "host fetch cpu ms", refs),
		offer:      at("nothing to push", "host push cpu ms", refs),
		fetchBytes: at("idle", "fetch bytes", refs),
		pushBytes:  at("one", "push bytes", refs),
		loose:      at("growth", "loose bytes each", autoGC),
	}
	c.push = at("one", "client cpu ms", refs) - c.survey
	c.merge = max(0, at("diverged", "client cpu ms", refs)-c.survey-c.push)
	c.receive = max(0, at("one", "host push cpu ms", refs)-c.offer)
	sizes := l.sizes("news", viaDaemon)
	if len(sizes) < 2 {
		return c, errors.New("'news' was not measured at two sizes")
	}
	few, many := sizes[0], sizes[len(sizes)-1]
	each := func(experiment string) fetched {
		of := func(metric string) float64 {
			return max(0, at(experiment, metric, many)-at(experiment, metric, few)) / float64(many-few)
		}
		return fetched{of("host fetch cpu ms"), of("client cpu ms"), of("fetch bytes")}
	}
	c.news, c.note = each("news"), each("news, own branch")
	growth := l.sizes("growth", viaDaemon)
	if len(growth) == 0 {
		return c, errors.New("'growth' was not measured")
	}
	most := growth[len(growth)-1]
	c.disk = at("growth", "packed bytes", most) / float64(most)
	return c, errors.Join(errs...)
}
