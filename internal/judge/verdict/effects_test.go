package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// here is a world whose server is on the client's machine.
func here(from func() *world) func() *world {
	return func() *world {
		w := from()
		w.run.Options.BaseURL = "http://127.0.0.1:8000"
		return w
	}
}

// A machine that others use too is a note, so long as no number suffers: 9 % of steal, threads that wait for
// a processor for 60 % of the time, a client at its limit.
func TestACauseWithoutAnEffectIsANote(t *testing.T) {
	for name, tt := range map[string]struct {
		check  string
		change func(s *journal.Sample)
	}{
		"steal":    {"steal", func(s *journal.Sample) { s.StealNs = s.At * 36 / 100 }},
		"cpu_wait": {"cpu_wait", func(s *journal.Sample) { s.WaitNs = s.At * 24 / 10 }},
		"cpu":      {"cpu", func(s *journal.Sample) { s.CPUNs = s.At * 39 / 10 }},
		"gc":       {"gc", func(s *journal.Sample) { s.GCPauseNs = s.At / 10 }},
	} {
		for kind, from := range map[string]func() *world{"open": here(openLoop), "closed": here(closedLoop)} {
			w := (&spoiled{from: from, lines: sampled(tt.change)}).world()
			v := w.judge(t, Options{})
			if k := v.Check(tt.check); v.Level != TrustValid || k.Level != Noted || k.Hint == "" || len(v.Reasons) > 0 {
				t.Errorf("%s, %s: %s %v; %s is %s: %v", name, kind, v.Level, v.Reasons, tt.check, k.Level, bad(v))
			}
		}
	}
}

// halted makes gaps of each request longer by so much, as a machine that stood still does, and the client noticed.
func halted(every int, by int64) func(w *world) {
	return func(w *world) {
		w.each(1, func(r *journal.Request) {
			for i := every; i < tokens; i += every {
				r.Events.At[i] += by
				r.Events.Held, r.Events.HeldNs = append(r.Events.Held, i), append(r.Events.HeldNs, by)
				r.End += by
			}
		})
	}
}

// A machine that stood still is named with the number, the size and the cause: gaps of 10 ms, of which each fourth is
// 20 ms longer where the machine was held up, make a TPOT that can be off by a third.
func TestTheEffectNamesNumberSizeAndCause(t *testing.T) {
	steal := sampled(func(s *journal.Sample) { s.StealNs = s.At * 28 / 100 })
	w := (&spoiled{from: here(openLoop), requests: halted(4, 20*msNs), lines: steal}).world()
	v := w.judge(t, Options{})
	k := v.Check("bounds")
	if v.Level != TrustSuspect || k.Because != "steal" || !slices.Contains(v.Reasons, "bounds") {
		t.Fatalf("%s %v because of %q: %v", v.Level, v.Reasons, k.Because, bad(v))
	}
	for _, words := range []string{"TPOT can be off by up to 2", "this machine was stalled", "steal 7.0 %"} {
		if !strings.Contains(k.Sentence, words) {
			t.Errorf("%q is not in: %s", words, k.Sentence)
		}
	}
	// The server is elsewhere, and no hypervisor took anything: by the kernel's times the gaps are the server's own.
	w = (&spoiled{from: openLoop, requests: halted(4, 20*msNs)}).world()
	if v := w.judge(t, Options{}); v.Level != TrustValid {
		t.Errorf("a client that is held up spoils a server elsewhere: %v", bad(v))
	}
}

// The client was held up, and the server was not: its gaps are as they always are.
func TestHeldUpWithoutAnEffect(t *testing.T) {
	w := (&spoiled{from: here(openLoop), requests: func(w *world) {
		w.each(1, func(r *journal.Request) { r.Events.Held, r.Events.HeldNs = []int{4, 8}, []int64{30 * msNs, 9 * msNs} })
	}, lines: sampled(func(s *journal.Sample) { s.WaitNs = s.At * 24 / 10 })}).world()
	if v := w.judge(t, Options{}); v.Level != TrustValid {
		t.Errorf("%s: %v", v.Level, bad(v))
	}
}

// Requests that left later than the clock was read: TTFT can be off by as much, and opening a connection is none of it.
func TestTheWayIn(t *testing.T) {
	late := func(connect int64) *world {
		return (&spoiled{from: here(openLoop), requests: every(1, func(r *journal.Request) { r.Written, r.Connect = 18*msNs, connect })}).world()
	}
	v := late(0).judge(t, Options{})
	if k := v.Check("bounds"); k.Level != Suspect || !strings.Contains(k.Sentence, "TTFT can be off by") || !strings.Contains(k.Sentence, "sent later than their timestamps say") {
		t.Errorf("%s: %s", k.Level, k.Sentence)
	}
	if v := late(18*msNs).judge(t, Options{}); v.Level != TrustValid {
		t.Errorf("connecting is in TTFT by its definition: %v", bad(v))
	}
}

// A proxy's bunches are far more than what could have come while this machine was held up for a moment, as busy ones are all the time.
func TestBunchesOfAProxyOnABusyMachine(t *testing.T) {
	w := (&spoiled{from: here(openLoop), requests: every(1, func(r *journal.Request) {
		bunch(8)(r)
		for i := range tokens {
			if r.Events.At[i] > 0 {
				r.Events.Held, r.Events.HeldNs = append(r.Events.Held, i), append(r.Events.HeldNs, 2*msNs)
			}
		}
	})}).world()
	if k := w.judge(t, Options{}).Check("bursts"); !k.Level.Bad() {
		t.Errorf("%s, %s", k.Level, k.Sentence)
	}
}

// What comes at once after this machine was stalled is no bunch; the same from a machine that was not is one.
func TestBunchesAfterAHold(t *testing.T) {
	for _, held := range []bool{false, true} {
		w := (&spoiled{from: here(openLoop), requests: every(1, func(r *journal.Request) {
			bunch(2)(r)
			for i := range r.Events.At {
				if held && i > 0 && r.Events.At[i] > msNs {
					r.Events.Held, r.Events.HeldNs = append(r.Events.Held, i), append(r.Events.HeldNs, r.Events.At[i]/2)
				}
			}
		})}).world()
		if k := w.judge(t, Options{}).Check("bursts"); k.Level.Bad() == held {
			t.Errorf("held up %v: %s, %s", held, k.Level, k.Sentence)
		}
	}
}
