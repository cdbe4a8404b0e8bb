package main

import (
	"container/heap"
	"math/rand"
)

// engine runs events in the order of their times, and of their making where those are
// the same. Times are milliseconds.
type engine struct {
	now    float64
	made   int
	queue  events
	chance *rand.Rand
}

func newEngine(seed int64) *engine { return &engine{chance: rand.New(rand.NewSource(seed))} }

type event struct {
	at   float64
	made int
	do   func()
}

type events []event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].made < q[j].made
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)   { *q = append(*q, x.(event)) }
func (q *events) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// after calls do when so much time has passed.
func (e *engine) after(wait float64, do func()) {
	e.made++
	heap.Push(&e.queue, event{e.now + wait, e.made, do})
}

// run plays events until there are none, or the time has come.
func (e *engine) run(until float64) {
	for len(e.queue) > 0 && e.queue[0].at <= until {
		ev := heap.Pop(&e.queue).(event)
		e.now = ev.at
		ev.do()
	}
}

// quantum is how long a core stays with one job while others wait.
const quantum = 10.0

// station shares cores among jobs in turn, as an operating system does; one core
// and no others make a line on which bytes take their time.
type station struct {
	e     *engine
	cores int
	busy  int
	wait  []*job
	used  float64 // core time
}

type job struct {
	left float64
	done func()
}

// do calls done once the station has worked for so long on it.
func (s *station) do(work float64, done func()) {
	s.wait = append(s.wait, &job{work, done})
	s.next()
}

func (s *station) next() {
	for s.busy < s.cores && len(s.wait) > 0 {
		j := s.wait[0]
		s.wait = s.wait[1:]
		s.busy++
		slice := min(j.left, quantum)
		s.e.after(slice, func() {
			s.busy--
			s.used += slice
			if j.left -= slice; j.left > 1e-9 {
				s.wait = append(s.wait, j)
			} else {
				j.done()
			}
			s.next()
		})
	}
}
