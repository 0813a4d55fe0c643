package load

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/sim"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// beginnings are prompts of which each group of four has the same beginning.
type beginnings struct{ n, next int }

func (c *beginnings) Next() (*workload.Request, error) {
	if c.next == c.n {
		return nil, io.EOF
	}
	i := c.next
	c.next++
	return &workload.Request{Index: i, Prompt: beginning(i) + fmt.Sprint(i), OutputTokens: 4}, nil
}

func beginning(i int) string {
	return fmt.Sprintf("conversation %d ", i/4) + strings.Repeat("and so on ", target.StickyBytes/10)
}

// replicas starts three simulators, of which the last is three times as slow.
func replicas(t *testing.T) []*server {
	t.Helper()
	var list []*server
	network := &memnet.Network{}
	for _, times := range []time.Duration{1, 1, 3} {
		list = append(list, startSimOn(t, network, func(c *sim.Config) {
			c.TTFT, c.ITL = random.Constant(times*15*time.Millisecond), random.Constant(times*time.Millisecond)
		}))
	}
	return list
}

// Under each rule every request is in the truth of the server that its line
// names, and the servers' shares are what the rule says.
func TestBalanceIsTheTruths(t *testing.T) {
	const n, warmups, atOnce = 180, 4, 12
	for _, tt := range []struct {
		rule  string
		check func(t *testing.T, records []journal.Request, counts []int)
	}{
		{target.RoundRobin, func(t *testing.T, records []journal.Request, counts []int) {
			if !slices.Equal(counts, []int{n / 3, n / 3, n / 3}) {
				t.Errorf("counts %v", counts)
			}
			for _, r := range records {
				if r.Target != r.Index%3 {
					t.Errorf("request %d went to %d", r.Index, r.Target)
				}
			}
		}},
		{target.LeastInFlight, func(t *testing.T, records []journal.Request, counts []int) {
			// A slot that becomes free at a server is filled there, so the slow one gets a
			// third of the others' requests, and some more or less at the end.
			if fast := (counts[0] + counts[1]) / 2; counts[2] < (fast-atOnce)/3 || counts[2] > (fast+atOnce)/3 {
				t.Errorf("the slow server got another share: %v", counts)
			}
			for i := range counts {
				if peak := peakOf(records, i); peak > atOnce/3 {
					t.Errorf("server %d had %d of %d at once", i, peak, atOnce)
				}
			}
		}},
		{target.Sticky, func(t *testing.T, records []journal.Request, counts []int) {
			for _, r := range records {
				if want := int(target.StickyKey(beginning(r.Index)) % 3); r.Target != want {
					t.Errorf("request %d went to %d, not to %d", r.Index, r.Target, want)
				}
			}
			for i, c := range counts {
				if c%4 != 0 || c == 0 {
					t.Errorf("server %d got %d: not whole conversations", i, c)
				}
			}
		}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				servers := replicas(t)
				cfg, read := setup(t, servers[0], "vllm", closed(), &beginnings{n: n})
				cfg.Concurrency = atOnce
				path := strings.TrimPrefix(cfg.URL, servers[0].url)
				for _, s := range servers {
					cfg.Targets = append(cfg.Targets, s.url+path)
				}
				cfg.Started = func() error {
					return cfg.Journal.Run(&journal.Run{Schema: journal.Schema, StartUnixNs: cfg.Clock.Zero().UnixNano(), Targets: make([]journal.Target, len(servers))})
				}
				var err error
				if cfg.Balance, err = target.NewBalancer(tt.rule, len(servers)); err != nil {
					t.Fatal(err)
				}
				for i := range warmups {
					cfg.Warmups = append(cfg.Warmups, &workload.Request{Index: i, Prompt: "warm up", OutputTokens: 1})
				}
				told := map[int]int{}
				var mu sync.Mutex
				cfg.Reached = func(_ string, target int) {
					mu.Lock()
					told[target]++
					mu.Unlock()
				}
				if _, err := Run(t.Context(), nil, cfg); err != nil {
					t.Fatal(err)
				}
				records, _ := read()
				measured := against(t, servers, records)
				if len(measured) != n || len(records) != n+warmups {
					t.Fatalf("%d measured of %d", len(measured), len(records))
				}
				counts := make([]int, len(servers))
				for _, r := range measured {
					counts[r.Target]++
				}
				t.Logf("counts %v", counts)
				for i := range counts {
					if told[i] != counts[i] {
						t.Errorf("Reached was told of %d to server %d, the journal says %d", told[i], i, counts[i])
					}
				}
				tt.check(t, measured, counts)
			})
		})
	}
}

// against holds each record against the truth of the server that it names, and
// returns the measured ones. Warm-ups go to one server after the other.
func against(t *testing.T, servers []*server, records []journal.Request) (measured []journal.Request) {
	t.Helper()
	truths, total := make([]map[string]sim.Record, len(servers)), 0
	for i, s := range servers {
		truths[i] = s.truth()
		total += len(truths[i])
	}
	if total != len(records) {
		t.Errorf("the servers saw %d requests, the journal has %d", total, len(records))
	}
	for _, r := range records {
		if _, ok := truths[r.Target][r.ID]; !ok || r.Outcome != journal.Complete {
			t.Errorf("%s (%s %s) is not in the truth of server %d", r.ID, r.Outcome, r.Error, r.Target)
		}
		if !r.Warmup {
			measured = append(measured, r)
		} else if r.Target != r.Index%len(servers) {
			t.Errorf("warm-up %d went to %d", r.Index, r.Target)
		}
	}
	return measured
}

// peakOf is the most requests that a server had open at one moment.
func peakOf(records []journal.Request, server int) (peak int) {
	for _, at := range records {
		open := 0
		for _, r := range records {
			if r.Target == server && r.Sent <= at.Sent && at.Sent < r.End {
				open++
			}
		}
		peak = max(peak, open)
	}
	return peak
}
