package observe

import (
	"io"
	"testing"

	"github.com/inferometer/inferometer/internal/send/workload"
)

type numbers struct {
	workload.Dataset
	next, n int
}

func (s *numbers) Next() (*workload.Request, error) {
	if s.next == s.n {
		return nil, io.EOF
	}
	s.next++
	return &workload.Request{Index: s.next - 1}, nil
}

// Each request is kept with the same chance, the first and the last too.
func TestKeeperKeepsAFairSample(t *testing.T) {
	const runs, n, want = 4000, 20, 5
	kept := [n]int{}
	for seed := range uint64(runs) {
		k := newKeeper(&numbers{n: n}, want, seed)
		for {
			if _, err := k.Next(); err != nil {
				break
			}
		}
		if len(k.kept) != want {
			t.Fatalf("%d kept, want %d", len(k.kept), want)
		}
		for _, w := range k.kept {
			kept[w.Index]++
		}
	}
	for i, times := range kept { // 1000 each, give or take four standard deviations
		if times < 890 || times > 1110 {
			t.Errorf("request %d was kept %d times of %d, want about %d", i, times, runs, runs*want/n)
		}
	}
	few := newKeeper(&numbers{n: 3}, want, 1)
	for range 4 {
		_, _ = few.Next()
	}
	if len(few.kept) != 3 {
		t.Errorf("of 3 requests %d were kept", len(few.kept))
	}
}
