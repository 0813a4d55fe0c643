package measure

import (
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

func TestSettled(t *testing.T) {
	m := &memory{run: closedRun(2)}
	for i := range 20 {
		m.requests = append(m.requests, stream(i, int64(i)*100, 300, 310)) // the first two end at 410 ms
	}
	m.end = endAt(2210)
	for _, tt := range []struct {
		name string
		set  func()
		want int64
	}{
		{"a closed loop: each slot's first request", func() {}, 410},
		{"a tenth of the time", func() { m.run.Options.MaxConcurrency, m.run.Options.RequestRate = 2, 10 }, 190},
		{"at most a half", func() { m.run.Options.RequestRate, m.run.Options.MaxConcurrency = 0, 20 }, 950},
	} {
		tt.set()
		m.at = 0
		if from, err := SettledFrom(m); err != nil || from != tt.want*ms {
			t.Errorf("%s: from %d ms, %v; want %d", tt.name, from/ms, err, tt.want)
		}
	}
}

// What is left is measured as if the clock had begun there: ten requests sent from
// 1,000 ms on, the last of which ended at 2,210 ms.
func TestAfter(t *testing.T) {
	m := &memory{run: closedRun(2)}
	for i := range 20 {
		m.requests = append(m.requests, stream(i, int64(i)*100, 300, 310))
	}
	m.end = endAt(2210)
	r, err := Measure(After(m, 1000*ms), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Completed != 10 || r.Rows[0].Sent != 0 || r.End.At != 1210*ms || m.end.At != 2210*ms {
		t.Errorf("%d requests, the first at %d, the end at %d", r.Completed, r.Rows[0].Sent, r.End.At)
	}
	near(t, "duration", r.Duration, 1.21)
}

func endAt(millis int64) *journal.End { return &journal.End{At: millis * ms} }
