package engine

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// smallBatch has round numbers, so that the tables below can be checked by hand.
func smallBatch() BatchConfig {
	return BatchConfig{
		Base: 10 * time.Millisecond, PerPrefillToken: time.Millisecond,
		PerSequence: 100 * time.Microsecond, PerCachedToken: time.Microsecond,
		MaxNumBatchedTokens: 8, MaxNumSeqs: 4, BlockSize: 4, NumBlocks: 16,
	}
}

// testJob has a prompt of n tokens that start with first.
func testJob(key uint64, first, n, want int) *Job {
	prompt := make([]int32, n)
	for i := range prompt {
		prompt[i] = int32(first + i)
	}
	return &Job{Key: key, Prompt: prompt, Answer: testAnswer(key), Want: want, PerChunk: 1}
}

// testAnswer draws its tokens from a key.
type testAnswer uint64

func (a testAnswer) Token(i int) int32 { return int32(random.Mix(uint64(a), uint64(i)) % 1000) }

// trace runs the scheduler to its end and writes one line per step:
//
//	a:8 b:1d | 18ms | b+1 | free 3
//
// what each sequence computes (d: decoding, +k: drafts), the step's time, what
// was made (! marks a finish), and the blocks that are free then.
func trace(s *scheduler, names map[*seq]string, arrive func(step int)) []string {
	var lines []string
	for n := 0; n < 1000; n++ {
		if arrive != nil {
			arrive(n)
		}
		st := s.plan(int64(n))
		if st == nil {
			break
		}
		var parts, made []string
		for _, sh := range st.shares {
			p := fmt.Sprintf("%s:%d", names[sh.seq], sh.tokens)
			if sh.decode {
				p += "d"
			}
			if sh.drafts > 0 {
				p += fmt.Sprintf("+%d", sh.drafts)
			}
			parts = append(parts, p)
		}
		d := s.duration(st)
		for _, o := range s.commit(st) {
			m := fmt.Sprintf("%s+%d", names[o.seq], o.tokens)
			if o.last {
				m += "!"
			}
			made = append(made, m)
		}
		lines = append(lines, fmt.Sprintf("%s | %v | %s | free %d", strings.Join(parts, " "), d, strings.Join(made, " "), s.kv.numFree))
	}
	return lines
}

func TestSchedulerStepByStep(t *testing.T) {
	type arrival struct {
		name        string
		step        int
		first, n    int
		want        int
		leaveAtStep int
	}
	tests := []struct {
		name        string
		change      func(*BatchConfig)
		arrivals    []arrival
		want        []string
		preemptions uint64
		hits        uint64
	}{
		{
			name:     "a prompt longer than a step's budget is prefilled in chunks",
			arrivals: []arrival{{name: "a", first: 0, n: 18, want: 2}},
			want: []string{
				"a:8 | 18ms |  | free 14",
				"a:8 | 18.008ms |  | free 12",
				"a:2 | 12.016ms | a+1 | free 11",
				"a:1d | 10.118ms | a+1! | free 16",
			},
		},
		{
			name: "a decoding sequence goes on beside another's prefill",
			arrivals: []arrival{
				{name: "a", first: 0, n: 4, want: 4},
				{name: "b", step: 1, first: 50, n: 10, want: 2},
			},
			want: []string{
				"a:4 | 14ms | a+1 | free 15",
				"a:1d b:7 | 17.104ms | a+1 | free 12",
				"a:1d b:3 | 13.112ms | a+1 b+1 | free 11",
				"a:1d b:1d | 10.216ms | a+1! b+1! | free 16",
			},
		},
		{
			name:   "the queue waits for a free place, first come, first served",
			change: func(c *BatchConfig) { c.MaxNumSeqs = 1 },
			arrivals: []arrival{
				{name: "a", first: 0, n: 2, want: 2},
				{name: "b", first: 50, n: 2, want: 1},
				{name: "c", first: 90, n: 2, want: 1},
			},
			want: []string{
				"a:2 | 12ms | a+1 | free 15",
				"a:1d | 10.102ms | a+1! | free 16",
				"b:2 | 12ms | b+1! | free 16",
				"c:2 | 12ms | c+1! | free 16",
			},
		},
		{
			name:   "the queue waits for blocks",
			change: func(c *BatchConfig) { c.NumBlocks = 3 },
			arrivals: []arrival{
				{name: "a", first: 0, n: 7, want: 2},
				{name: "b", step: 1, first: 50, n: 7, want: 1},
			},
			want: []string{
				"a:7 | 17ms | a+1 | free 1",
				"a:1d | 10.107ms | a+1! | free 3",
				"b:7 | 17ms | b+1! | free 3",
			},
		},
		{
			name:   "without blocks the newest is preempted and computed anew",
			change: func(c *BatchConfig) { c.NumBlocks = 3 },
			arrivals: []arrival{
				{name: "a", first: 0, n: 4, want: 3},
				{name: "b", first: 50, n: 4, want: 2},
			},
			want: []string{
				"a:4 b:4 | 18ms | a+1 b+1 | free 1",
				"a:1d | 10.104ms | a+1 | free 1", // a takes the last block, b loses its own
				"a:1d | 10.105ms | a+1! | free 3",
				"b:5 | 15ms | b+1! | free 3", // the prompt and the token made before
			},
			preemptions: 1,
		},
		{
			name:   "a prompt that was seen costs only what is new",
			change: func(c *BatchConfig) { c.PrefixCache = true },
			arrivals: []arrival{
				{name: "a", first: 0, n: 8, want: 1},
				{name: "b", step: 1, first: 0, n: 8, want: 1},  // 4, not 8: one token must be computed
				{name: "c", step: 2, first: 0, n: 10, want: 1}, // both blocks
				{name: "d", step: 3, first: 1, n: 8, want: 1},  // another prompt
			},
			want: []string{
				"a:8 | 18ms | a+1! | free 16",
				"b:4 | 14.004ms | b+1! | free 16",
				"c:2 | 12.008ms | c+1! | free 16",
				"d:8 | 18ms | d+1! | free 16",
			},
			hits: 12,
		},
		{
			name:   "blocks of an old prompt are taken when they are needed",
			change: func(c *BatchConfig) { c.PrefixCache, c.NumBlocks = true, 3 },
			arrivals: []arrival{
				{name: "a", first: 0, n: 8, want: 1},
				{name: "b", step: 1, first: 50, n: 8, want: 1}, // takes the unused block and a's last
				{name: "c", step: 2, first: 0, n: 8, want: 1},  // a's first block is still there
			},
			want: []string{
				"a:8 | 18ms | a+1! | free 3",
				"b:8 | 18ms | b+1! | free 3",
				"c:4 | 14.004ms | c+1! | free 3",
			},
			hits: 4,
		},
		{
			name:   "with every draft accepted a step makes k+1 tokens, but never too many",
			change: func(c *BatchConfig) { c.SpecTokens, c.SpecAcceptance = 2, 1 },
			arrivals: []arrival{
				{name: "a", first: 0, n: 4, want: 6},
			},
			want: []string{
				"a:4 | 14ms | a+1 | free 15",
				"a:1d+2 | 10.104ms | a+3 | free 14",
				"a:1d+1 | 10.107ms | a+2! | free 16",
			},
		},
		{
			name:   "with no draft accepted a step makes one",
			change: func(c *BatchConfig) { c.SpecTokens, c.SpecAcceptance = 2, 0 },
			arrivals: []arrival{
				{name: "a", first: 0, n: 4, want: 3},
			},
			want: []string{
				"a:4 | 14ms | a+1 | free 15",
				"a:1d+1 | 10.104ms | a+1 | free 14",
				"a:1d | 10.105ms | a+1! | free 16",
			},
		},
		{
			name:     "an answer of no token ends with the prefill",
			arrivals: []arrival{{name: "a", first: 0, n: 9, want: 0}},
			want:     []string{"a:8 | 18ms |  | free 14", "a:1 | 11.008ms | a+0! | free 16"},
		},
		{
			name: "a sequence that leaves gives its blocks back",
			arrivals: []arrival{
				{name: "a", first: 0, n: 4, want: 9, leaveAtStep: 2},
			},
			want: []string{"a:4 | 14ms | a+1 | free 15", "a:1d | 10.104ms | a+1 | free 14"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := smallBatch()
			if tt.change != nil {
				tt.change(&cfg)
			}
			s := newScheduler(cfg)
			names, seqs := map[*seq]string{}, map[string]*seq{}
			got := trace(s, names, func(step int) {
				for i, a := range tt.arrivals {
					if a.step == step {
						q := newSeq(testJob(uint64(i), a.first, a.n, a.want))
						names[q], seqs[a.name] = a.name, q
						s.add(q)
					}
					if a.leaveAtStep == step && step > 0 {
						seqs[a.name].job.cancelled.Store(true)
						s.remove(seqs[a.name])
					}
				}
			})
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") {
				t.Errorf("steps:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if s.preemptions != tt.preemptions || s.hits != tt.hits {
				t.Errorf("%d preemptions and %d hits, want %d and %d", s.preemptions, s.hits, tt.preemptions, tt.hits)
			}
			if s.kv.numFree != cfg.NumBlocks {
				t.Errorf("%d of %d blocks are free in the end", s.kv.numFree, cfg.NumBlocks)
			}
		})
	}
}

// TestSchedulerRandomly runs many sequences through a cache that is far too
// small: all end with the right number of tokens, no block is lost, and the same
// arrivals give the same steps.
func TestSchedulerRandomly(t *testing.T) {
	run := func() (string, *scheduler) {
		cfg := smallBatch()
		cfg.NumBlocks, cfg.PrefixCache, cfg.SpecTokens, cfg.SpecAcceptance = 9, true, 2, 0.5
		s := newScheduler(cfg)
		names := map[*seq]string{}
		var jobs []*seq
		lines := trace(s, names, func(step int) {
			if step < 40 {
				q := newSeq(testJob(uint64(step), int(random.Mix(uint64(step), 1)%3)*4, 1+int(random.Mix(uint64(step), 2)%20), 1+int(random.Mix(uint64(step), 3)%12)))
				names[q] = fmt.Sprint(step)
				jobs = append(jobs, q)
				s.add(q)
			}
			if s.kv.numFree < 0 || len(s.running) > cfg.MaxNumSeqs {
				t.Fatalf("step %d: %d free blocks, %d running", step, s.kv.numFree, len(s.running))
			}
		})
		for _, q := range jobs {
			if q.made != q.job.Want {
				t.Errorf("sequence %s made %d of %d tokens", names[q], q.made, q.job.Want)
			}
		}
		if s.kv.numFree != cfg.NumBlocks || len(s.running)+len(s.waiting) > 0 {
			t.Errorf("%d free blocks, %d running, %d waiting in the end", s.kv.numFree, len(s.running), len(s.waiting))
		}
		return strings.Join(lines, "\n"), s
	}
	first, s := run()
	second, _ := run()
	if first != second {
		t.Error("the same arrivals gave other steps")
	}
	if s.preemptions == 0 || s.hits == 0 {
		t.Errorf("%d preemptions and %d hits: the test should see both", s.preemptions, s.hits)
	}
}

func TestSpeculationMean(t *testing.T) {
	sp := newSpeculator(BatchConfig{SpecTokens: 3, SpecAcceptance: 0.7})
	rng := random.NewRand(1)
	const n = 20000
	for range n {
		sp.verify(3, rng)
	}
	want := 0.7 + 0.7*0.7 + 0.7*0.7*0.7
	if mean := float64(sp.accepted) / n; math.Abs(mean-want) > 0.03 {
		t.Errorf("%.3f accepted a draft, want %.3f", mean, want)
	}
	if sp.drafts != n || sp.draftTokens != 3*n || sp.acceptedAt[0]+sp.acceptedAt[1]+sp.acceptedAt[2] != sp.accepted {
		t.Errorf("counters do not add up: %+v", sp)
	}
}

// TestDraftsCostTime: draft tokens lengthen a step whether they are accepted or not, and only those.
func TestDraftsCostTime(t *testing.T) {
	took := func(drafts int, each time.Duration) time.Duration {
		cfg := DefaultBatch()
		cfg.SpecTokens, cfg.SpecAcceptance, cfg.PerDraftToken = drafts, 0, each
		v := NewVirtual(cfg)
		v.Submit(0, 100, 20)
		for {
			if _, ok := v.Step(); !ok {
				return v.Now()
			}
		}
	}
	without, with := took(3, 0), took(3, time.Millisecond)
	// 19 decoding steps; the last three may draft only as many tokens as are left after their own.
	if want := (16*3 + 2 + 1) * time.Millisecond; with-without != want {
		t.Errorf("drafts cost %v, want %v", with-without, want)
	}
	if took(0, time.Millisecond) != took(0, 0) {
		t.Error("drafts that are not made cost time")
	}
}
