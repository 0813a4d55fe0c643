package verdict

import (
	"math"
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

func TestMostConns(t *testing.T) {
	tr := newTrack(maxSlots)
	for i := range int64(500) {
		tr.add(i*1e9, i*1e9+5e8, i%2 == 0)
	}
	if all, minute := tr.mostConns(math.MaxInt64/2), tr.mostConns(60e9); all != 250 || minute < 30 || minute > 31 {
		t.Errorf("%d connections, want 250; %d in a minute, want 30", all, minute)
	}
}

func TestThinIsAFairSample(t *testing.T) {
	var s evenSample
	for i := range 1_000_000 {
		s.add(i)
	}
	if len(s.values) > sampleLen || math.Abs(float64(s.median())-500_000) > 2000 {
		t.Errorf("%d values with the median %d", len(s.values), s.median())
	}
}

func TestNeeds(t *testing.T) {
	for p, want := range map[float64]int64{50: 2, 90: 10, 95: 20, 99: 100, 99.9: 1000, 99.99: 10_000, 1: 100, 100: 1, 0: 1} {
		if got := Needs(p); got != want {
			t.Errorf("p%g needs %d, want %d", p, got, want)
		}
	}
}

// Where one thing shows in several figures, the reason is what it did to a number, and what is noted is named as its cause.
func TestSymptomsNameTheirCause(t *testing.T) {
	starved := func(wait, lag int64) *Verdict {
		w := closedLoop()
		w.each(1, func(r *journal.Request) { share(3)(r); r.Events.Lag[tokens] = lag })
		w.derive()
		sampled(func(s *journal.Sample) { s.WaitNs = s.At * wait })(w)
		return w.judge(t, Options{})
	}
	v := starved(3, 10*msNs)
	if k := v.Check("bounds"); !slices.Equal(v.Reasons, []string{"bounds"}) || k.Because != "shared_reads" || v.Check("cpu_wait").Level != Noted || v.Check("shared_reads").Level != Noted {
		t.Errorf("reasons %v because of %q: %v", v.Reasons, k.Because, bad(v))
	}
}

// The causes that the table names are checks.
func TestCausesExist(t *testing.T) {
	names := []string{}
	for _, e := range table() {
		if slices.Contains(names, e.name) {
			t.Errorf("%s is there twice", e.name)
		}
		names = append(names, e.name)
	}
	for _, e := range table() {
		for _, cause := range e.because {
			if !slices.Contains(names, cause) || cause == e.name {
				t.Errorf("%s is explained by %s", e.name, cause)
			}
		}
	}
}

// Requests that failed for want of files or ports say so themselves.
func TestFailuresNameTheirCause(t *testing.T) {
	for words, cause := range map[string]string{
		"dial tcp: socket: too many open files": "files", "dial tcp: connect: cannot assign requested address": "ports",
	} {
		w := openLoop()
		w.each(20, fail(journal.Refused, words))
		w.derive()
		if v := w.judge(t, Options{}); !slices.Equal(v.Reasons, []string{cause}) || v.Check("outcomes").Because != cause {
			t.Errorf("%s: reasons %v", words, v.Reasons)
		}
	}
}

// llama.cpp counts prompt tokens that it worked on, without those from its cache.
func TestLlamaCountersReconcile(t *testing.T) {
	w := openLoop()
	w.each(2, func(r *journal.Request) { r.UsageCached = 40 })
	w.run.Options.Dataset = "sharegpt"
	w.derive()
	w.scrapes[0].Counters = map[string]float64{"llamacpp:prompt_tokens_total": 37, "llamacpp:tokens_predicted_total": 24}
	w.scrapes[1].Counters = map[string]float64{
		"llamacpp:prompt_tokens_total":    37 + 1202*(prompt+1) - 600*40,
		"llamacpp:tokens_predicted_total": 24 + 1202*tokens,
	}
	v := w.judge(t, Options{})
	for _, name := range []string{"restart", "server_prompt_tokens", "server_output_tokens"} {
		if k := v.Check(name); k.Level != OK {
			t.Errorf("%s is %s: %s", name, k.Level, k.Sentence)
		}
	}
	if v.Level != TrustValid {
		t.Errorf("%s: %v", v.Level, bad(v))
	}
}

// What did not come to its end may or may not be in the server's counters.
func TestUnfinishedRequestsLeaveRoom(t *testing.T) {
	for _, counted := range []float64{0, 1} {
		w := openLoop()
		w.each(400, fail(journal.Timeout, "no end"))
		w.derive()
		after("vllm:request_success_total", 3*counted)(w)
		after("vllm:generation_tokens_total", 3*tokens*counted)(w)
		after("vllm:prompt_tokens_total", 3*(prompt+1)*counted)(w)
		if v := w.judge(t, Options{}); !slices.Equal(v.Reasons, []string{"outcomes"}) {
			t.Errorf("reasons %v: %v", v.Reasons, bad(v))
		}
	}
}
