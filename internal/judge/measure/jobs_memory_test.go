package measure

import (
	"runtime"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// 2,000 open jobs of 500 turns each take some 140 bytes a turn, and nothing once they have ended.
func TestOpenJobsAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	const open, turns = 2000, 500
	template := turn(0, 1, 1, 0, 100, 50, 20, 25)
	var r journal.Request
	var c journal.Conversation
	var before, full, after runtime.MemStats
	held := func(m *runtime.MemStats) {
		runtime.GC()
		runtime.ReadMemStats(m)
	}
	j := &talking{run: closedRun(0), end: &journal.End{}}
	j.line = func(i int) any {
		switch {
		case i == 0:
			held(&before)
		case i == open*turns:
			held(&full)
		}
		if i < open*turns {
			r = *template
			number, n := i%open, i/open
			r.Index, r.Conversation, r.Turn = number*turns+n, number+1, n+1
			r.Sent = int64(n) * 100 * ms
			r.Due, r.Released, r.End = r.Sent, r.Sent, r.Sent+25*ms
			if n > 0 {
				r.After, r.Delay = []int{r.Index - 1}, 75*ms
			}
			return &r
		}
		number := i - open*turns
		if number == open {
			held(&after)
			return nil
		}
		c = journal.Conversation{Number: number + 1, Turns: turns, Sent: turns, Complete: turns, Outcome: journal.ConversationComplete, End: ((turns-1)*100 + 25) * ms}
		return &c
	}
	got := measureAll(t, j, Options{ExactLimit: 10_000, RowLimit: 10_000}).Jobs
	if got.Complete != open || got.Path.Known != open || !close64(got.Path.Pause, 75*(turns-1)) {
		t.Errorf("%+v", got)
	}
	each := float64(full.HeapAlloc-before.HeapAlloc) / (open * turns)
	t.Logf("%.0f bytes a turn of an open job, %d MB in all; %d MB when they have ended", each, (full.HeapAlloc-before.HeapAlloc)>>20, (int64(after.HeapAlloc)-int64(before.HeapAlloc))>>20)
	if each > 200 || after.HeapAlloc > before.HeapAlloc+16<<20 {
		t.Errorf("%.0f bytes a turn; %d bytes before, %d after", each, before.HeapAlloc, after.HeapAlloc)
	}
}
