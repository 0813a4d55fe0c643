package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// What goes wrong once shows in several figures. Each of these was seen in a real run
// (test/scenes makes them): all that is bad is put down to its cause.
func TestOneCauseIsOneReason(t *testing.T) {
	for name, tt := range map[string]struct {
		from     func() *world
		requests func(w *world)
		lines    func(w *world)
		reason   string
		because  []string
	}{
		"a network that loses packets": {
			openLoop, every(3, func(r *journal.Request) {
				r.Reordered = 5
				share(4)(r)
				r.Events.At[0] += 100 * msNs
				r.End += 100 * msNs
			}), slowerServer(-33),
			"bounds",
			nil,
		},
		"segments that wait in the kernel for a lost one": {
			closedLoop, every(2, func(r *journal.Request) { r.Reordered, r.Events.Lag[tokens] = 5, 180*msNs }), nil,
			"bounds",
			nil,
		},
		"bunches after a lost segment": {
			openLoop, every(1, func(r *journal.Request) { bunch(2)(r); r.Reordered = 1 }), nil,
			"bursts",
			nil,
		},
		"a client that waits for its processor": {
			openLoop, every(1, share(3)), func(w *world) {
				sampled(func(s *journal.Sample) { s.WaitNs = s.At * 2 / 3 })(w) // a sixth of four processors
			},
			"bounds",
			nil,
		},
		"a restart, after which each connection is opened again": {
			openLoop, func(w *world) {
				w.each(1, func(r *journal.Request) {
					if r.Index >= 600 && r.Index < 675 {
						fail(journal.Reset, "connection reset")(r)
						r.NewConn = true
					}
				})
			}, after("process_start_time_seconds", 12),
			"restart",
			[]string{"outcomes"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := (&spoiled{from: tt.from, requests: tt.requests, lines: tt.lines}).world()
			v := w.judge(t, Options{})
			// Requests that failed are named also where a restart is the reason.
			if effect := v.Check("restart").Effect; tt.reason == "restart" && !strings.HasSuffix(effect, "; 75 of 1200 requests failed (75 reset)") {
				t.Errorf("the restart's effect is %q", effect)
			}
			if !slices.Equal(v.Reasons, []string{tt.reason}) {
				t.Errorf("the reasons are %v: %v", v.Reasons, bad(v))
			}
			for _, name := range tt.because {
				if k := v.Check(name); !k.Level.Bad() || k.Because != tt.reason {
					t.Errorf("%s is %s because of %q (%s)", name, k.Level, k.Because, k.Sentence)
				}
			}
		})
	}
}

// Of two causes the worse one is named.
func TestTheWorstCauseIsNamed(t *testing.T) {
	w := (&spoiled{from: openLoop, requests: every(1, bunch(tokens)), lines: func(w *world) {
		sampled(func(s *journal.Sample) { s.WaitNs = s.At * 2 / 3 })(w)
		slowerServer(-10)(w)
	}}).world()
	v := w.judge(t, Options{})
	if k := v.Check("server_ttft"); k.Level != Suspect || k.Because != "bursts" {
		t.Errorf("server_ttft is %s because of %q: %v", k.Level, k.Because, bad(v))
	}
}

// A percentile of too few requests is no reason, even if some failed: it is left out.
func TestTooFewRequestsAreNoReasonBesideFailures(t *testing.T) {
	w := (&spoiled{from: openLoop, requests: func(w *world) {
		first(36)(w)
		every(4, fail(journal.HTTP5xx, "HTTP 500"))(w)
	}}).world()
	v := w.judge(t, Options{})
	if !slices.Equal(v.Reasons, []string{"outcomes"}) || !slices.Equal(v.Unsupported, []string{"p99_ttft", "p99_tpot"}) {
		t.Errorf("the reasons are %v, unsupported are %v: %v", v.Reasons, v.Unsupported, bad(v))
	}
}

// Who is told that requests failed wants to know the server's words.
func TestOutcomesHaveTheWordsOfTheFirst(t *testing.T) {
	w := (&spoiled{from: openLoop, requests: every(20, fail(journal.HTTP4xx, "HTTP 400: maximum context length is 100"))}).world()
	if k := w.judge(t, Options{}).Check("outcomes"); !strings.Contains(k.Sentence, "60 http_4xx); the first http_4xx: HTTP 400: maximum context") {
		t.Error(k.Sentence)
	}
}

// Usage comes in one read with the last token of a short answer, and spoils nothing.
func TestUsageMayShareItsRead(t *testing.T) {
	w := (&spoiled{from: openLoop, requests: every(1, func(r *journal.Request) {
		r.SharedReads = 1
		e := &r.Events
		e.At, e.Lag, e.Kind, e.Tokens = e.At[:2], e.Lag[:2], []journal.EventKind{textKind | journal.EventFinish, journal.EventUsage}, []int{1, 0}
		r.OutputTokens, r.UsageOutput, r.End = 1, 1, r.Sent+e.At[0]+e.At[1]
	})}).world()
	if k := w.judge(t, Options{}).Check("shared_reads"); k.Level != NotChecked {
		t.Errorf("%s: %s", k.Level, k.Sentence)
	}
}

// Eight requests are enough to see that a limit of one held them back.
func TestRateOfFewRequests(t *testing.T) {
	held := func(by int64) *Check {
		w := (&spoiled{from: openLoop, requests: func(w *world) { first(8)(w); stretched(by)(w) }}).world()
		return w.judge(t, Options{}).Check("rate")
	}
	if k := held(500 * msNs); k.Level != Invalid || !strings.Contains(k.Sentence, "held them back") {
		t.Errorf("%s: %s", k.Level, k.Sentence)
	}
	if k := held(10 * msNs); k.Level != OK {
		t.Errorf("70 ms late in all, but %s: %s", k.Level, k.Sentence)
	}
}

// Where client and server share a machine there is no cable to look at.
func TestSegmentsOnOneMachine(t *testing.T) {
	for url, words := range map[string]string{"http://127.0.0.1:8000": "this machine", "http://[::1]:8000": "this machine", "http://localhost": "this machine", "http://10.0.0.7:8000": "cable"} {
		w := openLoop()
		w.run.Options.BaseURL = url
		every(20, func(r *journal.Request) { r.Retransmits = 2 })(w)
		k := w.judge(t, Options{}).Check("retransmits")
		if k.Level != Noted || !strings.Contains(k.Hint, words) {
			t.Errorf("%s: %+v", url, k)
		}
	}
}
