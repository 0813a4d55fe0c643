package verdict

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
)

// feed gives a collector so many requests, with prompts and texts of their own.
func feed(t testing.TB, c *Collector, from, n int) {
	r := stream(0, 0)
	var one row.Request
	for i := from; i < from+n; i++ {
		sent := int64(i) * 10 * msNs
		r.Index, r.Sent, r.Due, r.Released, r.End = i, sent, sent, sent, sent+300*msNs
		r.PromptHash, r.TextHash = fmt.Sprintf("%016x", 2*i+1), fmt.Sprintf("%016x", 2*i+2)
		if err := one.Read(row.Rules{}, &r); err != nil {
			t.Fatal(err)
		}
		if err := c.Add(&one); err != nil {
			t.Fatal(err)
		}
	}
}

// Five times as many requests take no more memory.
func TestMemoryIsBounded(t *testing.T) {
	w := newWorld("constant")
	c := NewCollector(&w.run, Options{HashLimit: 1000})
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	feed(t, c, 0, 10_000)
	before := heap()
	feed(t, c, 10_000, 40_000)
	if grown := heap() - before; grown > 200_000 {
		t.Errorf("40,000 further requests take %d bytes", grown)
	}
	v := c.Verdict(nil, nil, nil)
	for _, name := range []string{"identical", "repeated_prompts"} {
		if k := v.Check(name); !strings.Contains(k.Sentence, "only the first 1000 were remembered") {
			t.Errorf("%s does not say that it stopped: %s", name, k.Sentence)
		}
	}
}

func TestAJournalThatWasEditedIsAnError(t *testing.T) {
	w := openLoop()
	w.derive()
	w.requests[7].Events.Kind = w.requests[7].Events.Kind[:3]
	if _, err := Judge(w, Options{}); err == nil || !strings.Contains(err.Error(), "event columns differ in length") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Judge(noRun{}, Options{}); err == nil {
		t.Error("a journal without its first line is judged")
	}
}

type noRun struct{ Journal }

func (noRun) Run() *journal.Run { return nil }

func BenchmarkCollector(b *testing.B) {
	w := newWorld("constant")
	c := NewCollector(&w.run, Options{})
	b.ReportAllocs()
	feed(b, c, 0, b.N)
}
