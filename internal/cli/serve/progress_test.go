package serve

import (
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/load"
)

func TestProgressText(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	after := func(s float64) time.Time { return began.Add(time.Duration(s * float64(time.Second))) }
	tests := []struct {
		name      string
		show      progressShow
		snap      load.Snapshot
		now       time.Time
		text, bar string
	}{
		{"at once", progressShow{total: 10}, load.Snapshot{InFlight: 2}, began, "0/10 done, 2 in flight, 0 failed, 0s", strings.Repeat("░", 20)},
		{
			"half way",
			progressShow{total: 10},
			load.Snapshot{InFlight: 2, Completed: 4, Failed: 1, Tokens: 300},
			after(6),
			"5/10 done, 2 in flight, 50 tok/s, 1 failed, 6s, 6s left", strings.Repeat("█", 10) + strings.Repeat("░", 10),
		},
		{
			"since the last time",
			progressShow{total: 10, last: load.Snapshot{Tokens: 200}, lastAt: after(4)},
			load.Snapshot{Completed: 10, Tokens: 300},
			after(6),
			"10/10 done, 0 in flight, 50 tok/s, 0 failed, 6s, 0s left", strings.Repeat("█", 20),
		},
		{
			"by time",
			progressShow{length: 20 * time.Second},
			load.Snapshot{Completed: 7},
			after(5), "7 done, 0 in flight, 0 tok/s, 0 failed, 5s, 15s left",
			strings.Repeat("█", 5) + strings.Repeat("░", 15),
		},
		{
			"by time, and the last ones take longer",
			progressShow{length: 20 * time.Second},
			load.Snapshot{Completed: 7, InFlight: 1},
			after(25),
			"7 done, 1 in flight, 0 tok/s, 0 failed, 25s, 0s left", strings.Repeat("█", 20),
		},
		{
			"by time before its requests are done",
			progressShow{total: 100, length: 20 * time.Second},
			load.Snapshot{Completed: 7},
			after(5), "7/100 done, 0 in flight, 0 tok/s, 0 failed, 5s, 15s left",
			strings.Repeat("█", 5) + strings.Repeat("░", 15),
		},
		{
			"jobs", progressShow{total: 10}, load.Snapshot{InFlight: 2, Jobs: 3, JobsEnded: 4}, began, "0/10 done, 2 in flight, 3 jobs open, 4 ended, 0 failed, 0s", strings.Repeat("░", 20),
		},
		{
			"primers",
			progressShow{length: 20 * time.Second, primed: began},
			load.Snapshot{Primed: 3, Primers: 20},
			after(5), "priming the server's cache: 3 of 20 one-token requests done, 5s", strings.Repeat("█", 5) + strings.Repeat("░", 15),
		},
		{"without an end", progressShow{}, load.Snapshot{Completed: 7}, after(5), "7 done, 0 in flight, 0 tok/s, 0 failed, 5s", strings.Repeat("░", 20)},
		{
			"more than there should be",
			progressShow{total: 2},
			load.Snapshot{Completed: 3},
			after(5), "3/2 done, 0 in flight, 0 tok/s, 0 failed, 5s, 0s left",
			strings.Repeat("█", 20),
		},
	}
	for _, tt := range tests {
		s := tt.show
		s.began = began
		if s.lastAt.IsZero() {
			s.lastAt = began
		}
		if got := s.text(tt.snap, tt.now); got != tt.text {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.text)
		}
		if got := s.barOf(tt.snap, tt.now); got != tt.bar {
			t.Errorf("%s: bar %s, not %s", tt.name, got, tt.bar)
		}
	}
}
