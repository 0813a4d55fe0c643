package verdict

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// replicas is an open loop over several servers that are alike, one after the other.
func replicas(n int) func() *world {
	return func() *world {
		w := openLoop()
		for i := range n {
			w.run.Targets = append(w.run.Targets, journal.Target{URL: fmt.Sprintf("http://replica-%d", i)})
		}
		for i := range w.requests {
			if r := &w.requests[i]; !r.Warmup {
				r.Target = r.Index % n
			}
		}
		return w
	}
}

// slowTarget makes one server's first tokens come so many times later.
func slowTarget(target int, times float64) func(w *world) {
	return every(1, func(r *journal.Request) {
		if r.Target == target {
			stretch(r, 0, times)
		}
	})
}

// slowDecoding makes one server take so many times as long between tokens.
func slowDecoding(target int, times float64) func(w *world) {
	return every(1, func(r *journal.Request) {
		if r.Target == target {
			for i := 1; i < tokens; i++ {
				stretch(r, i, times)
			}
		}
	})
}

// noisyTarget makes one server now as quick as the others, now far slower: at the
// median it is slower, but nobody could say that it will be again.
func noisyTarget(target int) func(w *world) {
	waves := []float64{1.4, 6, 1, 12, 1.4, 1}
	return every(1, func(r *journal.Request) {
		if r.Target == target {
			stretch(r, 0, waves[r.Index/200])
		}
	})
}

func stretch(r *journal.Request, event int, times float64) {
	more := int64(float64(r.Events.At[event]) * (times - 1))
	r.Events.At[event] += more
	r.End += more
}

// onlyTo sends everything to one server.
func onlyTo(target int) func(w *world) {
	return every(1, func(r *journal.Request) { r.Target = target })
}

func TestSlowReplicaSaysWhatItIsWithout(t *testing.T) {
	w := replicas(3)()
	slowTarget(1, 3)(w)
	w.derive()
	k := w.judge(t, Options{}).Check("slow_replica")
	for _, want := range []string{"http://replica-1 has a median TTFT of 16", "it gave 33.3 % of the answers"} {
		if !strings.Contains(k.Sentence, want) {
			t.Errorf("%q does not say %q", k.Sentence, want)
		}
	}
	if want := "TTFT p99 without it would be 60.0 ms instead of 1"; !strings.HasPrefix(k.Effect, want) {
		t.Errorf("effect %q, want %q…", k.Effect, want)
	}
	w = replicas(3)()
	slowDecoding(1, 3)(w)
	w.derive()
	if k := w.judge(t, Options{}).Check("slow_replica"); k.Effect != "TPOT p99 without it would be 10.0 ms instead of 30.0 ms" {
		t.Errorf("effect %q", k.Effect)
	}
	if *k.Value < 2.9 || *k.Value > 3.1 {
		t.Errorf("value %v", *k.Value)
	}
}

// The restart of one server, which the sum would hide, is named.
func TestARestartOfOneReplicaIsNamed(t *testing.T) {
	w := replicas(2)()
	w.derive()
	w.scrapes[3].Counters["process_start_time_seconds"] += 60
	w.scrapes[1].Counters["process_start_time_seconds"] -= 0.5
	if k := w.judge(t, Options{}).Check("restart"); k.Sentence != "http://replica-1's start time changed by 60 s" {
		t.Error(k.Sentence)
	}
}

// In 400 runs over servers that are alike, whose times come in waves as those of a
// long queue do, one is called slow in 8; and one that is half as fast is found in
// 378. docs/verdict.md has these figures.
func TestAlikeReplicasAreRarelyCalledSlow(t *testing.T) {
	t.Run("4", func(t *testing.T) { alikeReplicas(t, 4, 400, 90) })
	t.Run("100", func(t *testing.T) { alikeReplicas(t, 100, 100, 70) })
}

func alikeReplicas(t *testing.T, servers, runs, found int) {
	const answers = 300
	rnd := rand.New(rand.NewPCG(5, 6))
	judge := func(factor float64) Level {
		f := &facts{run: &journal.Run{Targets: make([]journal.Target, servers)}}
		c := newSlowReplica(f)
		for target := range servers {
			wave, v := 0.0, view{Request: &row.Request{Request: &journal.Request{Target: target}}, complete: true}
			for range answers {
				wave = 0.9*wave + math.Sqrt(1-0.81)*rnd.NormFloat64() // remembers some ten answers
				ttft := 50e6 * math.Exp(0.5*wave+0.2*rnd.NormFloat64())
				if target == 2 {
					ttft *= factor
				}
				v.Row.First = int64(ttft)
				v.Row.Last = v.Row.First
				f.complete++
				f.ttft.Add(v.Row.First)
				c.add(&v)
			}
		}
		e := table()
		for i := range e {
			if e[i].name == "slow_replica" {
				return c.result(f, e[i].limits).Level
			}
		}
		t.Fatal("no such check")
		return ""
	}
	count := func(factor float64) (slow int) {
		for range runs {
			if judge(factor) == Suspect {
				slow++
			}
		}
		return slow
	}
	alike, half := count(1), count(2)
	t.Logf("called slow: %d of %d runs over servers alike, %d of %d with one half as fast", alike, runs, half, runs)
	if alike > runs*4/100 || half < runs*found/100 {
		t.Errorf("called slow: %d of %d alike, %d half as fast", alike, runs, half)
	}
}

// Behind a router it is who answered that counts, and requests of which nobody said so are no server's.
func TestSlowReplicaBehindARouter(t *testing.T) {
	w := openLoop()
	for i := range w.requests {
		if r := &w.requests[i]; r.Index%4 > 0 {
			r.Replica = fmt.Sprintf("pod-%d", r.Index%4)
		}
	}
	every(1, func(r *journal.Request) {
		if r.Replica == "pod-2" {
			stretch(r, 0, 3)
		}
	})(w)
	w.derive()
	if k := w.judge(t, Options{}).Check("slow_replica"); k.Level != Suspect || !strings.HasPrefix(k.Sentence, "pod-2 has a median TTFT of ") || !strings.Contains(k.Brief, "one of 3 servers") {
		t.Errorf("%s: %s (%s)", k.Level, k.Sentence, k.Brief)
	}
}
