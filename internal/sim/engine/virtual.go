package engine

import (
	"container/heap"
	"time"
)

// Virtual runs the batch engine's scheduler on a clock of its own: no socket, no
// waiting, the same steps. What takes an hour of a server takes a second here, so
// that the truth about a configuration can be had from runs that nobody would wait for.
type Virtual struct {
	sched  *scheduler
	now    int64
	toCome arrivals
	prompt []int32 // all prompts are parts of it: no prefix is looked up
	number int

	running, waiting int // during the last step, as usage
	usage            float64
}

// VirtualToken is tokens that a step made for a request.
type VirtualToken struct {
	Request int // as Submit numbered it
	At      int64
	Started int64 // when the request left the queue
	Tokens  int
	Last    bool
}

// NewVirtual makes an engine at the time 0. It has no prefix cache.
func NewVirtual(cfg BatchConfig) *Virtual {
	cfg.PrefixCache = false
	return &Virtual{sched: newScheduler(cfg)}
}

// Submit adds a request that arrives at a time, in nanoseconds, and returns its
// number, from 0.
func (v *Virtual) Submit(at int64, promptTokens, outputTokens int) int {
	if n := promptTokens - len(v.prompt); n > 0 {
		v.prompt = append(v.prompt, make([]int32, n)...)
	}
	q := newSeq(&Job{Key: uint64(v.number), Prompt: v.prompt[:promptTokens], Want: outputTokens})
	q.arrived = at
	heap.Push(&v.toCome, arrival{q, v.number})
	v.number++
	return v.number - 1
}

// Step runs the next step and returns what it made; false: there is nothing to do.
func (v *Virtual) Step() (made []VirtualToken, ok bool) {
	v.arrive()
	st := v.sched.plan(v.now)
	if st == nil {
		if len(v.toCome) == 0 {
			return nil, false
		}
		v.now = v.toCome[0].seq.arrived
		v.arrive()
		st = v.sched.plan(v.now)
	}
	v.running, v.waiting, v.usage = len(v.sched.running), len(v.sched.waiting), v.sched.kv.usage()
	v.now += int64(v.sched.duration(st))
	for _, o := range v.sched.commit(st) {
		made = append(made, VirtualToken{int(o.seq.job.Key), v.now, o.seq.job.Started, o.tokens, o.last})
	}
	return made, true
}

// Now is the engine's time.
func (v *Virtual) Now() time.Duration { return time.Duration(v.now) }

// State is what /metrics would have shown during the last step, with the counts at its end.
func (v *Virtual) State() State {
	s := v.sched.state()
	s.Running, s.Waiting, s.KVUsage = v.running, v.waiting, v.usage
	return s
}

// arrive moves those that have come to the queue.
func (v *Virtual) arrive() {
	for len(v.toCome) > 0 && v.toCome[0].seq.arrived <= v.now {
		v.sched.add(heap.Pop(&v.toCome).(arrival).seq)
	}
}

// arrivals are requests by the time of their arrival.
type arrivals []arrival

type arrival struct {
	seq    *seq
	number int
}

func (a arrivals) Len() int { return len(a) }
func (a arrivals) Less(i, j int) bool {
	if a[i].seq.arrived != a[j].seq.arrived {
		return a[i].seq.arrived < a[j].seq.arrived
	}
	return a[i].number < a[j].number
}
func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }
func (a *arrivals) Push(x any)   { *a = append(*a, x.(arrival)) }
func (a *arrivals) Pop() any {
	last := len(*a) - 1
	x := (*a)[last]
	*a = (*a)[:last]
	return x
}
