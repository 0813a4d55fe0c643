package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// noter is a sink that writes down what it is offered.
type noter struct{ got []string }

func (n *noter) Offer(tokens int, last bool) {
	s := fmt.Sprint(tokens)
	if last {
		s += "!"
	}
	n.got = append(n.got, s)
}

// stillPump is a pump without a goroutine: the test runs its tasks by hand.
func stillPump() *pump { return &pump{base: time.Now()} }

// runAll runs the tasks in order of their times, each exactly when it is due,
// and returns when each run was.
func runAll(p *pump, late func(n int) int64) []int64 {
	var times []int64
	for n := 0; p.collect() && len(p.heap) > 0; n++ {
		at := p.heap[0].at
		times = append(times, at)
		if next := p.heap[0].task.run(at + late(n)); next > 0 {
			p.heap.replace(next)
		} else {
			p.heap.pop()
		}
	}
	return times
}

func onTime(int) int64 { return 0 }

// TestFixedSchedule: the first chunk after the TTFT, each later one after as
// many ITLs as it has tokens, and lateness is not passed on.
func TestFixedSchedule(t *testing.T) {
	for _, tt := range []struct {
		perChunk, want int
		offers         string
		after          []time.Duration // from the start, in ms
	}{
		{1, 4, "1 1 1 1!", []time.Duration{50, 60, 70, 80}},
		{3, 7, "3 3 1!", []time.Duration{50, 80, 90}},
		{3, 3, "3!", []time.Duration{50}},
		{1, 0, "0!", []time.Duration{50}},
	} {
		p := stillPump()
		e := &Fixed{ttft: random.Constant(50 * time.Millisecond), itl: random.Constant(10 * time.Millisecond), pumps: []*pump{p}}
		n := &noter{}
		j := testJob(1, 0, 5, tt.want)
		j.PerChunk, j.Sink = tt.perChunk, n
		e.Submit(j)
		times := runAll(p, func(int) int64 { return int64(7 * time.Millisecond) })
		if got := strings.Join(n.got, " "); got != tt.offers {
			t.Errorf("%+v: offered %s", tt, got)
		}
		for i, at := range times {
			if d := time.Duration(at - j.Started); d != tt.after[i]*time.Millisecond {
				t.Errorf("%+v: chunk %d at %v", tt, i, d)
			}
		}
		if len(times) != len(tt.after) || e.State().Running != 0 {
			t.Errorf("%+v: %d chunks, %d running in the end", tt, len(times), e.State().Running)
		}
	}
}

// TestFixedDrawsByKey: a request's delays depend on its key only.
func TestFixedDrawsByKey(t *testing.T) {
	delays := func(key uint64, before int) string {
		p := stillPump()
		itl, _ := random.ParseDist("exp:10ms")
		e := &Fixed{ttft: itl, itl: itl, pumps: []*pump{p}}
		for i := range before {
			j := testJob(uint64(1000+i), 0, 3, 3)
			j.Sink = &noter{}
			e.Submit(j)
		}
		runAll(p, onTime)
		j := testJob(key, 0, 3, 5)
		j.Sink = &noter{}
		e.Submit(j)
		var rel []int64
		for _, at := range runAll(p, onTime) {
			rel = append(rel, at-j.Started)
		}
		return fmt.Sprint(rel)
	}
	if a, b := delays(7, 0), delays(7, 9); a != b {
		t.Errorf("the same key drew %s and %s", a, b)
	}
	if a, b := delays(7, 0), delays(8, 0); a == b {
		t.Errorf("two keys drew the same %s", a)
	}
}

// TestBatchClock: steps follow each other without a gap; a little lateness is
// made up for, a lot shifts the clock, and none lets a request run before it came.
func TestBatchClock(t *testing.T) {
	cfg := smallBatch() // a decode step of one takes 10.1 ms and a µs for each cached token
	for _, tt := range []struct {
		name  string
		late  time.Duration // of the second run
		third time.Duration // from the second run's due time to the third's
	}{
		{"on time", 0, 10105 * time.Microsecond},
		{"a little late", 900 * time.Microsecond, 10105 * time.Microsecond},
		{"far behind", 5 * time.Millisecond, 15105 * time.Microsecond},
	} {
		p := stillPump()
		e := newBatch(cfg, nil, p)
		n := &noter{}
		j := testJob(1, 0, 4, 3)
		j.Sink = n
		e.Submit(j)
		times := runAll(p, func(n int) int64 {
			if n == 1 {
				return int64(tt.late)
			}
			return 0
		})
		if len(times) != 3 || strings.Join(n.got, " ") != "1 1 1!" {
			t.Fatalf("%s: %d steps, offered %v", tt.name, len(times), n.got)
		}
		if d := time.Duration(times[0] - j.Started); d != 14*time.Millisecond {
			t.Errorf("%s: first token after %v", tt.name, d)
		}
		if d := time.Duration(times[2] - times[1]); d != tt.third {
			t.Errorf("%s: third step ends %v after the second, want %v", tt.name, d, tt.third)
		}
	}
}

func TestBatchWaitsForTheNextStep(t *testing.T) {
	s := newScheduler(smallBatch())
	q := newSeq(testJob(1, 0, 4, 1))
	q.arrived = 100
	s.add(q)
	if st := s.plan(99); st != nil {
		t.Errorf("a step at 99 took in what came at 100: %+v", st)
	}
	if st := s.plan(100); st == nil || q.job.Started != 100 {
		t.Errorf("a step at 100 left it out")
	}
}

// TestBatchChunks: with several tokens per event, the engine gathers them.
func TestBatchChunks(t *testing.T) {
	p := stillPump()
	e := newBatch(smallBatch(), nil, p)
	n := &noter{}
	j := testJob(1, 0, 4, 8)
	j.PerChunk, j.Sink = 3, n
	e.Submit(j)
	runAll(p, onTime)
	if got := strings.Join(n.got, " "); got != "3 3 2!" {
		t.Errorf("offered %s", got)
	}
}
