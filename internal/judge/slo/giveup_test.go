package slo

import (
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// givenUp feeds requests to a GiveUp, as load does, and returns after how many it
// said stop, and why.
func givenUp(t *testing.T, text string, run journal.Run, duration time.Duration, n int, request func(i int) journal.Request) (int, string) {
	t.Helper()
	objective, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	g := NewGiveUp(&run.Options, objective, duration)
	for i := range n {
		r := request(i)
		if g.Ended(&r) {
			if why := g.Judge(); why != "" {
				return i + 1, why
			}
		}
	}
	return 0, ""
}

const ms = int64(time.Millisecond)

// stream is a complete request: sent at a time, with token chunks at the given times
// after that. All in milliseconds.
func stream(index int, sent int64, chunks ...int64) journal.Request {
	r := journal.Request{Index: index, Due: sent * ms, Released: sent * ms, Sent: sent * ms, Outcome: journal.Complete, UsageOutput: len(chunks)}
	at := int64(0)
	for _, c := range chunks {
		r.Events.At = append(r.Events.At, (c-at)*ms)
		r.Events.Kind = append(r.Events.Kind, journal.EventChoices|journal.EventText)
		at = c
	}
	r.End = r.Sent + at*ms
	return r
}

// failed turns a request into one with this outcome.
func failed(r journal.Request, o journal.Outcome, message string) journal.Request {
	r.Outcome, r.Error = o, message
	return r
}

func closedRun(limit int) journal.Run {
	return journal.Run{Options: journal.Options{Pace: "closed", MaxConcurrency: limit}}
}

func openRun(rate float64) journal.Run {
	run := closedRun(0)
	run.Options.Pace, run.Options.RequestRate = "poisson", rate
	return run
}

func TestGiveUp(t *testing.T) {
	quick := func(i int) journal.Request { return stream(i, int64(i)*10, 50, 60, 70) }
	slow := func(i int) journal.Request { return stream(i, int64(i)*10, 700, 710, 720) }
	everyTwentieth := func(i int) journal.Request {
		if i%20 == 0 {
			return slow(i)
		}
		return quick(i)
	}
	broken := func(i int) journal.Request { return failed(quick(i), journal.HTTP5xx, "no") }
	stalled := func(i int) journal.Request { return stream(i, int64(i)*10, 50, 600, 1200) }
	// 100 requests a second for ten seconds; those of the first second don't count.
	for _, tt := range []struct {
		name    string
		slo     string
		request func(i int) journal.Request
		least   int // after how many at the earliest; 0: never
		most    int
		why     string
	}{
		{"all is well", "p99_ttft<=500ms and failed<1% and p99_itl<=100ms", quick, 0, 0, ""},
		// The 900 that count may have 9 over: 38 are more than 27 and ten.
		{"all are slow", "p99_ttft<=500ms", slow, 138, 138, "38 of 38 values are over the limit"},
		{"5 % are slow, of 1 %", "p99_ttft<=500ms", everyTwentieth, 830, 850, "38 of 741 values are over the limit"},
		{"5 % are slow, of 5 %", "p95_ttft<=500ms", everyTwentieth, 0, 0, ""},
		{"a median needs three quarters", "median_ttft<=500ms", slow, 786, 786, "over the limit"},
		{"half of it is not enough", "median_ttft<=500ms", func(i int) journal.Request {
			if i%2 == 0 {
				return slow(i)
			}
			return quick(i)
		}, 0, 0, ""},
		{"a mean", "mean_ttft<=20ms", slow, 150, 250, "the sum of"},
		{"gaps", "p99_itl<=100ms", stalled, 120, 150, "over the limit"},
		{"failures", "failed<1%", broken, 41, 41, "41 of 41 requests have failed"},
		{"a number of failures", "failed<=0", broken, 20, 20, "have failed"},
		{"what only the end can tell", "request_throughput>=1000 and p99_ttft>=1s", slow, 0, 0, ""},
	} {
		n, why := givenUp(t, tt.slo, openRun(100), 10*time.Second, 1000, tt.request)
		if n < tt.least || n > tt.most || !strings.Contains(why, tt.why) {
			t.Errorf("%s: after %d (%d to %d): %q", tt.name, n, tt.least, tt.most, why)
		}
	}
}

// A server that ends 40 of the 100 that come each second.
func TestGiveUpWhenTheQueueGrows(t *testing.T) {
	ends := func(each int64) func(i int) journal.Request {
		return func(i int) journal.Request {
			r := stream(i, int64(i)*10, 5)
			r.End = (100 + int64(i)*each) * ms
			return r
		}
	}
	n, why := givenUp(t, "p99_e2el<=100s", openRun(100), 10*time.Second, 1000, ends(25))
	if n == 0 || n > 130 || !strings.Contains(why, "the queue grows without bound") {
		t.Errorf("after %d: %q", n, why)
	}
	if n, why := givenUp(t, "p99_e2el<=100s", openRun(100), 10*time.Second, 1000, ends(12)); n != 0 {
		t.Errorf("83 of 100 each second is no queue without bound: %d, %s", n, why)
	}
	if n, _ := givenUp(t, "p99_e2el<=100s", closedRun(4), 10*time.Second, 1000, ends(25)); n != 0 {
		t.Error("a closed loop has no queue")
	}
}

// The first requests of a closed loop come all at once and don't count.
func TestGiveUpLeavesTheStartOut(t *testing.T) {
	burst := func(i int) journal.Request {
		if i < 64 {
			return stream(i, 0, 900, 910)
		}
		return stream(i, 1000+int64(i)*10, 50, 60)
	}
	if n, why := givenUp(t, "p90_ttft<=500ms", closedRun(64), 5*time.Second, 400, burst); n != 0 {
		t.Errorf("after %d: %s", n, why)
	}
}
