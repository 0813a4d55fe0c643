package merge

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/share"
)

// 30 agents with 1,000 requests each are merged in memory that is for the agents, not for
// their requests: with a fifth of the requests it is about as much.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("writes and merges 36,000 requests")
	}
	few, many := mostHeap(t, 200), mostHeap(t, 1000)
	t.Logf("30 agents, 200 and 1,000 requests each: %d and %d MB", few>>20, many>>20)
	if many > 45<<20 || many > few+6<<20 {
		t.Errorf("merging takes %d MB with 200 requests of each agent, and %d MB with 1,000", few>>20, many>>20)
	}
}

// mostHeap is the most that a merge of 30 agents holds, beyond what was there before.
func mostHeap(t *testing.T, each int) int64 {
	const agents = 30
	f := &fleet{dir: t.TempDir(), plan: &Plan{Run: "r", Start: start}}
	f.plan.Planned = func(yield func(Request) bool) {
		for i := range agents * each {
			if !yield(Request{Index: i, Agent: i % agents}) {
				return
			}
		}
	}
	alike := single(40)
	for a := range agents {
		own := make([]journal.Request, each)
		for k := range own {
			own[k] = alike[k%len(alike)]
			own[k].Index = k*agents + a
			check(t, own[k].Move(int64(k)*ms))
		}
		agent := Agent{ID: fmt.Sprintf("a%d", a), Share: share.Equal(a, agents), Journal: filepath.Join(f.dir, fmt.Sprint(a)), Whole: true}
		record(t, agent.Journal, firstLine(start), own, &journal.End{Sent: each})
		f.plan.Agents = append(f.plan.Agents, agent)
	}
	w, err := journal.Create(filepath.Join(f.dir, "whole.zst"))
	check(t, err)
	defer w.Close()

	defer debug.SetGCPercent(debug.SetGCPercent(20)) // what is held, and little beside
	runtime.GC()
	before := heapInUse()
	most := int64(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			most = max(most, heapInUse()-before)
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	sum, err := Merge(f.plan, w)
	close(stop)
	<-done
	check(t, err)
	if sum.Complete+sum.Failed != agents*each || sum.Planned != agents*each {
		t.Errorf("%+v", sum)
	}
	return most
}

func heapInUse() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A long run of one agent keeps no more samples than the bound, the first and the newest
// among them, and the worst of what lies between.
func TestSamplesAreThinned(t *testing.T) {
	for _, n := range []int{1, 2, 4095, 4096, 4097, 8192, 100_000} {
		th := newThinned(1)
		for i := range n {
			s := journal.Sample{At: int64(i), CPUNs: int64(i), Files: 5}
			if i == n/3 {
				s.WakeNs, s.Files = 77, 99
			}
			th.add(s)
		}
		list := th.all()
		worst, files := int64(0), 0
		for i := range list {
			worst, files = max(worst, list[i].WakeNs), max(files, list[i].Files)
			if i > 0 && list[i].At <= list[i-1].At {
				t.Errorf("%d: out of order at %d", n, i)
			}
		}
		if len(list) > mostSamples || list[0].At != 0 || list[len(list)-1].At != int64(n-1) || worst != 77 || files != 99 {
			t.Errorf("%d samples: %d are left, from %d to %d, the worst %d and %d", n, len(list), list[0].At, list[len(list)-1].At, worst, files)
		}
	}
}
