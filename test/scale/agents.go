package main

import (
	"math"
	"slices"
)

// What the program does, from refs/sync.go: so many tries, and a pause before the next
// of at most so many times what the last one took.
const (
	maxTries  = 60
	syncWaits = 16
)

// scene is who does what where.
type scene struct {
	name     string
	agents   int
	branches int     // 0: one each
	every    float64 // milliseconds between two milestones of an agent, on average
	perSync  int     // milestones after which it syncs
	cores    int     // of the host
	trip     float64 // milliseconds to the host and back
	line     float64 // bytes a millisecond, of the host; 0: endless
	duration float64

	noNotes bool // notes stay where they are
	narrow  bool // a fetch brings one's own branch alone

	rounds int  // of a crowd on one machine: each agent does that many, one after the other; 0: goes on
	local  bool // the clients share the host's cores
}

// played is what came of it.
type played struct {
	took      float64
	made, got int       // milestones: made by agents, on the host
	waits     []float64 // from COMMIT until the host has it
	syncs     []float64 // how long each took, to its end
	tries     []int
	gaveUp    int
	hostUsed  float64
	in, out   float64 // bytes, of the host
}

// play simulates a scene. The same seed plays the same.
func play(sc scene, c costs, seed int64) played {
	e := newEngine(seed)
	w := &world{engine: e, scene: sc, costs: c, host: &station{e: e, cores: sc.cores}, line: &station{e: e, cores: 1}}
	branches := sc.branches
	if branches == 0 {
		branches = sc.agents
	}
	w.branch, w.ofBranch = make([]int, branches), make([]int, branches)
	for i := range sc.agents {
		a := &agent{world: w, own: i % branches}
		if sc.rounds > 0 {
			a.again(sc.rounds)
		} else {
			a.live()
		}
	}
	until := sc.duration
	if until == 0 {
		until = math.Inf(1)
	}
	e.run(until)
	w.result.took, w.result.hostUsed = e.now, w.host.used
	slices.Sort(w.result.waits)
	slices.Sort(w.result.syncs)
	slices.Sort(w.result.tries)
	return w.result
}

// world is the host and what is known of it.
type world struct {
	*engine
	scene
	costs
	host, line *station
	branch     []int // how often each moved
	ofBranch   []int // milestones on each
	total      int   // milestones on all
	notes      int   // how often they moved
	result     played
}

// client is work on an agent's own machine, or on the one that all share.
func (w *world) client(work float64, done func()) {
	if w.local {
		w.host.do(work, done)
	} else {
		w.after(work, done)
	}
}

func (w *world) send(bytes float64, done func()) {
	w.result.out += bytes
	if w.scene.line == 0 {
		done()
	} else {
		w.line.do(bytes/w.scene.line, done)
	}
}

// agent is one clone.
type agent struct {
	*world
	own     int       // its branch
	waiting []float64 // when milestones were made that the host has not
	seen    int       // milestones of the host that were fetched
	seenOwn int       // of those, the branch's
	syncing bool

	begun, round float64 // the sync, its present try
	try, batch   int
	owes         bool // the branch is to be pushed
	owesNotes    bool
	merges       bool // it moved there
}

// live makes milestones as they come, and syncs after every few.
func (a *agent) live() {
	a.after(a.chance.ExpFloat64()*a.every, func() {
		a.made()
		if len(a.waiting) >= a.perSync {
			a.sync(func() {})
		}
		a.live()
	})
}

func (a *agent) made() {
	a.result.made++
	a.waiting = append(a.waiting, a.now)
}

// again commits and syncs, so many times.
func (a *agent) again(rounds int) {
	if rounds == 0 {
		return
	}
	a.client(a.commit, func() {
		a.made()
		a.sync(func() { a.again(rounds - 1) })
	})
}

// sync begins one, unless one is under way: that one's end begins the next.
func (a *agent) sync(done func()) {
	if a.syncing {
		return
	}
	a.syncing, a.begun, a.try = true, a.now, 0
	a.owes, a.owesNotes, a.merges, a.batch = true, !a.noNotes, false, len(a.waiting)
	a.fetch(done)
}

// fetch is the first half of a round. What the host answers is as of when it begins.
func (a *agent) fetch(done func()) {
	a.round = a.now
	a.try++
	a.client(a.survey/2, func() {
		a.after(a.trip*2, func() { // a connection, the refs
			notes, branch, news := a.notes, a.branch[a.own], a.fresh()
			a.host.do(a.answer+news.host, func() {
				a.send(news.bytes, func() {
					a.after(a.trip, func() { a.pushAll(notes, branch, news.client, done) })
				})
			})
		})
	})
}

// fresh is what a fetch brings: milestones of others with their notes, and names.
func (a *agent) fresh() fetched {
	all, own := float64(max(0, a.total-a.seen)), float64(max(0, a.ofBranch[a.own]-a.seenOwn))
	a.seen, a.seenOwn = a.total, a.ofBranch[a.own]
	branches, names := all, a.fetchBytes
	if a.narrow {
		branches, names = own, min(names, nameBytes)
	}
	notes := all
	if a.noNotes {
		notes = 0
	}
	come := a.news.plus(a.note.times(-1)).times(branches)
	return come.plus(a.note.times(notes)).plus(fetched{bytes: names})
}

// nameBytes is what a fetch takes that asks for three refs by name and gets nothing.
const nameBytes = 700

// pushAll is the second half: what moved since is refused by the client as soon as
// it hears of it, or by the host at the end.
func (a *agent) pushAll(notes, branch int, unpack float64, done func()) {
	work := a.survey/2 + unpack + a.push/2
	if a.merges {
		work += a.merge
	}
	a.client(work, func() {
		a.after(a.trip*2, func() {
			a.host.do(a.offer, func() {
				mayBranch := a.owes && a.branch[a.own] == branch
				mayNotes := a.owesNotes && a.notes == notes
				if !mayBranch && !mayNotes {
					a.send(0, func() { a.end(done) })
					return
				}
				a.result.in += a.pushBytes
				a.host.do(a.receive, func() {
					if mayBranch && a.branch[a.own] == branch {
						a.accepted()
					}
					if mayNotes && a.notes == notes {
						a.notes++
						a.owesNotes = false
					}
					a.after(a.trip, func() { a.client(a.push/2, func() { a.end(done) }) })
				})
			})
		})
	})
}

// accepted: the host has the branch.
func (a *agent) accepted() {
	a.owes = false
	a.branch[a.own]++
	a.ofBranch[a.own] += a.batch
	a.total += a.batch
	a.seen, a.seenOwn = a.seen+a.batch, a.seenOwn+a.batch // they are its own
	a.result.got += a.batch
	for _, made := range a.waiting[:a.batch] {
		a.result.waits = append(a.result.waits, a.now-made)
	}
	a.waiting = a.waiting[a.batch:]
	a.batch = 0
}

// end goes on with another round where somebody was faster, after a pause.
func (a *agent) end(done func()) {
	if (a.owes || a.owesNotes) && a.try < maxTries {
		a.merges = a.owes
		most := (a.now - a.round) * float64(min(1<<min(a.try, 10), syncWaits))
		a.after(a.chance.Float64()*most, func() { a.fetch(done) })
		return
	}
	if a.owes || a.owesNotes {
		a.result.gaveUp++
	}
	a.syncing = false
	a.result.tries = append(a.result.tries, a.try)
	a.result.syncs = append(a.result.syncs, a.now-a.begun)
	if a.rounds == 0 && len(a.waiting) >= a.perSync {
		a.sync(done)
		return
	}
	done()
}
