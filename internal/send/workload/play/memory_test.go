package play

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/send/workload/talk"
)

// longJob is one agent whose prompt grows to 256 k tokens.
func longJob(id int) *tree.Tree {
	const turns, blocks = 64, 4096
	t := &tree.Tree{ID: fmt.Sprint("long-", id), Block: 64, Branches: []tree.Branch{{Name: tree.Root, Kind: tree.Root, Parent: -1}}}
	for i := range turns {
		turn := tree.Turn{At: time.Duration(i) * time.Minute, Took: time.Second, Input: (i + 1) * blocks / turns * 64, Output: 300, Kept: i * blocks / turns}
		for k := range blocks / turns {
			turn.IDs = append(turn.IDs, uint64(turn.Kept+k))
		}
		if i > 0 {
			turn.Parents = []tree.Parent{{Turn: i - 1, Pause: 59 * time.Second, History: tree.Full}}
		}
		t.Turns = append(t.Turns, turn)
	}
	return t
}

// A job that waits holds block ids and no texts, though all its turns were sent: 2,000 with contexts of 256 k tokens are a few hundred megabytes.
func TestMemoryOfLiveJobs(t *testing.T) {
	const jobs = 20
	of := player(t, options(AgentX))
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	var live []*talk.Conversation
	for i := range jobs {
		rec, err := New(longJob(i))
		if err != nil {
			t.Fatal(err)
		}
		p, err := of.New(rec, Place{Number: i + 1})
		if err != nil {
			t.Fatal(err)
		}
		c, err := p.Conversation()
		if err != nil {
			t.Fatal(err)
		}
		for k := 0; k < len(c.Turns); k += 21 {
			if _, err := c.Maker.Make(k); err != nil {
				t.Fatal(err)
			}
			c.Maker.Sent(k)
		}
		live = append(live, c)
	}
	each := int(heap()-before) / jobs
	t.Logf("%d KiB for each live job of 256 k tokens", each>>10)
	if each > 256<<10 {
		t.Errorf("%d bytes for each live job", each)
	}
	runtime.KeepAlive(live)
}

// BenchmarkMake is what a turn of 256 k tokens costs.
func BenchmarkMake(b *testing.B) {
	rec, err := New(longJob(0))
	if err != nil {
		b.Fatal(err)
	}
	p, err := player(b, options(AgentX)).New(rec, Place{Number: 1})
	if err != nil {
		b.Fatal(err)
	}
	c, err := p.Conversation()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := c.Maker.Make(63); err != nil {
			b.Fatal(err)
		}
		c.Maker.Sent(63)
	}
}
