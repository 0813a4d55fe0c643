package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/truth"
)

// playing is a run of all jobs of a corpus against the simulator.
type playing struct {
	binary          string
	lanes, plays    int
	output          int
	itl, pause      time.Duration
	speed           float64
	max             time.Duration
	trace, cpu, dir string
}

func (p *playing) flags() {
	harness.BinaryVar(&p.binary)
	flag.IntVar(&p.lanes, "lanes", 0, "play the corpus against a simulator, with so many jobs open at a time; 0: only read it")
	flag.IntVar(&p.plays, "plays", 0, "jobs to play; 0: each once")
	flag.IntVar(&p.output, "output", 0, "tokens of each answer; 0: as the corpus says")
	flag.DurationVar(&p.itl, "itl", time.Millisecond, "the simulator's time between tokens")
	flag.DurationVar(&p.pause, "pause", time.Second, "longest pause between two turns")
	flag.Float64Var(&p.speed, "speed", 1, "pauses are so many times as short")
	flag.DurationVar(&p.max, "max-late", 0, "latest p99 of turns by the truth; 0: no bound")
	flag.StringVar(&p.trace, "play", "", "play this file or folder in place of a drawn corpus")
	flag.StringVar(&p.cpu, "cpu-profile", "", "write the client's profile to this file")
}

// run plays a trace and shows what it cost, and how late turns were by the simulator's truth.
func (p *playing) run() error {
	told := filepath.Join(p.dir, "truth.jsonl")
	var cost harness.Cost
	began := time.Now()
	err := harness.Sim(p.binary, []string{
		"--ttft", "20ms", "--itl", p.itl.String(), "--prefix-cache", "--num-blocks", "0", "--block-size", strconv.Itoa(block),
		"--max-model-len", "400000", "--truth", told,
	}, func(url string) (err error) {
		args := []string{
			"bench", "serve", "--base-url", url, "--model", "sim", "--backend", "openai-chat", "--skip-tokenizer-init",
			"--ready-check-timeout-sec", "0", "--dataset-name", "trace", "--dataset-path", p.trace, "--max-conversations", strconv.Itoa(p.lanes),
			"--trace-max-pause", p.pause.String(), "--trace-speed", strconv.FormatFloat(p.speed, 'g', -1, 64),
			"--run-dir", filepath.Join(p.dir, "run"), "--quiet",
		}
		for name, n := range map[string]int{"--num-prompts": p.plays, "--output-len": p.output} {
			if n > 0 {
				args = append(args, name, strconv.Itoa(n))
			}
		}
		if p.cpu != "" {
			args = append(args, "--cpu-profile", p.cpu)
		}
		began = time.Now()
		cost, err = harness.Run(p.binary, args...)
		return err
	})
	if err != nil {
		return err
	}
	served, err := truth.Read(told)
	if err != nil {
		return err
	}
	seen, err := readTurns(filepath.Join(p.dir, "run", journal.FileName))
	if err != nil {
		return err
	}
	late, err := seen.late(served)
	if err != nil {
		return err
	}
	first := slices.MinFunc(served, func(a, b truth.Request) int { return cmp.Compare(a.Begun(), b.Begun()) })
	turns := len(seen.requests)
	fmt.Printf("%-28s %8d of %d complete; %d of %d turns\n", "jobs", seen.complete, seen.jobs, seen.answered, seen.planned)
	fmt.Printf("%-28s %8d\n", "requests at once", seen.atOnce())
	fmt.Printf("%-28s %8.2f s after the client's start\n", "first request", time.Duration(first.Begun()-began.UnixNano()).Seconds())
	fmt.Printf("%-28s %8.0f MB at the peak, %.2f ms of CPU time a turn, %.1f s in all\n", "client", cost.PeakMB, cost.CPU.Seconds()*1e3/float64(turns), cost.Wall.Seconds())
	fmt.Printf("%-28s %8.3f ms p50, %.3f p99, %.3f max; earliest %.3f\n", "turns late, by the truth", milliseconds(late, 0.5), milliseconds(late, 0.99), milliseconds(late, 1), milliseconds(late, 0))
	switch overlap := seen.overlaps(); {
	case seen.answered != seen.planned || seen.complete != seen.jobs:
		return errors.New("not all turns were answered")
	case overlap > 0:
		return fmt.Errorf("%d turns were sent before the one before them of the same agent had ended", overlap)
	case late[0] < 0:
		return fmt.Errorf("a turn was sent %v before it was due", time.Duration(-late[0]))
	case p.max > 0 && milliseconds(late, 0.99) > p.max.Seconds()*1e3:
		return fmt.Errorf("the p99 is above %v", p.max)
	}
	return nil
}

// turns are those of a journal.
type turns struct {
	requests          []journal.Request
	jobs, complete    int
	planned, answered int
}

func readTurns(path string) (*turns, error) {
	j, err := journal.Open(path)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	t := &turns{}
	j.OnConversation(func(c *journal.Conversation) {
		t.jobs++
		t.planned += c.Turns
		t.answered += c.Complete
		if c.Outcome == journal.ConversationComplete {
			t.complete++
		}
	})
	for {
		q, err := j.Next()
		if err == io.EOF {
			return t, j.Damage()
		}
		if err != nil {
			return nil, err
		}
		if !q.Warmup {
			t.requests = append(t.requests, journal.Request{
				Index: q.Index, ID: q.ID, Conversation: q.Conversation, Branch: q.Branch, After: slices.Clone(q.After), Follows: q.Follows,
				FollowsSent: q.FollowsSent, Delay: q.Delay, Skipped: q.Skipped, Sent: q.Sent, End: q.End,
			})
		}
	}
}

// late are the times, in order, from when turns were due to when the simulator had them: it sent the last event of the turn
// before just before, so that none can be negative.
func (t *turns) late(served []truth.Request) (late []int64, err error) {
	known := map[string]*truth.Request{}
	for i := range served {
		known[served[i].ID] = &served[i]
	}
	ids := map[int]string{}
	for i := range t.requests {
		ids[t.requests[i].Index] = t.requests[i].ID
	}
	for i := range t.requests {
		q := &t.requests[i]
		if len(q.After) == 0 || q.Follows < 0 || q.FollowsSent {
			continue
		}
		own, before := known[q.ID], known[ids[q.After[q.Follows]]]
		if own == nil || before == nil || len(before.Events) == 0 {
			return nil, fmt.Errorf("request %s, or the one before it, is not in the truth", q.ID)
		}
		late = append(late, own.Begun()-before.Events[len(before.Events)-1]-q.Delay+q.Skipped)
	}
	if len(late) == 0 {
		return nil, errors.New("no turn waits for another")
	}
	slices.Sort(late)
	return late, nil
}

// atOnce is the largest number of requests in flight.
func (t *turns) atOnce() (most int) {
	ends := make([]int64, 0, len(t.requests))
	for i := range t.requests {
		ends = append(ends, t.requests[i].End)
	}
	slices.Sort(ends)
	slices.SortFunc(t.requests, func(a, b journal.Request) int { return cmp.Compare(a.Sent, b.Sent) })
	over := 0
	for i := range t.requests {
		for ends[over] <= t.requests[i].Sent {
			over++
		}
		most = max(most, i+1-over)
	}
	return most
}

// overlaps counts turns that were sent while another one of the same agent was in flight.
func (t *turns) overlaps() (n int) {
	type agent struct{ conversation, branch int }
	ends := map[agent]int64{}
	slices.SortFunc(t.requests, func(a, b journal.Request) int { return cmp.Compare(a.Sent, b.Sent) })
	for i := range t.requests {
		q := &t.requests[i]
		at := agent{q.Conversation, q.Branch}
		if q.Sent < ends[at] {
			n++
		}
		ends[at] = max(ends[at], q.End)
	}
	return n
}

// milliseconds is a quantile of sorted nanoseconds.
func milliseconds(sorted []int64, q float64) float64 {
	return float64(sorted[int(q*float64(len(sorted)-1))]) / 1e6
}
