// Command agents draws a corpus of agents' jobs of the size of the public ones, which can't be had everywhere, and
// shows what it costs to read it, and to play it against the simulator:
//
//	make bench-agents bench-agents-late bench-agents-size
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/client"
	"github.com/inferometer/inferometer/internal/send/trace"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

func main() {
	c := &corpus{}
	flag.IntVar(&c.traces, "traces", 393, "jobs")
	flag.Float64Var(&c.requests, "requests", 58, "requests of a job, on average")
	flag.IntVar(&c.context, "context", 256_000, "longest prompt in tokens")
	flag.IntVar(&c.first, "first", 0, "tokens of each job's first prompt; 0: drawn")
	flag.IntVar(&c.fan, "fan", 0, "sub-agents of each job, which then has one turn before them and one after; 0: drawn")
	flag.Uint64Var(&c.seed, "seed", 1, "what is drawn depends on it alone")
	live := flag.Int("live", 2000, "trees to hold at once")
	limit := flag.Float64("max", 1000, "most memory in MB, with all of these")
	path := flag.String("write", "", "only write the corpus to this file")
	p := &playing{}
	p.flags()
	harness.Main("bench-agents", func() error {
		if *path != "" {
			return c.file(*path)
		}
		return harness.Folder(func(dir string) error {
			p.dir = dir
			if p.trace != "" {
				return p.run()
			}
			p.trace = filepath.Join(dir, "traces.jsonl")
			if err := c.file(p.trace); err != nil {
				return err
			}
			if p.lanes > 0 {
				return p.run()
			}
			return measure(p.trace, *live, *limit)
		})
	})
}

func (c *corpus) file(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := c.write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// measure opens a corpus, reads all of it, and holds trees.
func measure(path string, live int, limit float64) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	start := time.Now()
	t, err := trace.Open("", path)
	if err != nil {
		return err
	}
	trees, err := t.Trees(trace.TreeOptions{Split: true})
	if err != nil {
		return err
	}
	defer trees.Close()
	fmt.Printf("%-28s %8.0f MB, %d jobs\n", "corpus", float64(info.Size())/1e6, trees.Len())
	fmt.Printf("%-28s %8.2f s, peak %.0f MB\n", "found", time.Since(start).Seconds(), peak())
	start = time.Now()
	turns, longest, ids := 0, 0, 0
	for i := range trees.Len() {
		x, err := trees.Tree(i)
		if err != nil {
			return err
		}
		turns += len(x.Turns)
		for k := range x.Turns {
			longest = max(longest, x.Turns[k].Input)
			ids += len(x.Turns[k].IDs)
		}
	}
	fmt.Printf("%-28s %8.2f s, peak %.0f MB; %d turns, prompts to %d tokens, %d ids held of each job\n", "each read once", time.Since(start).Seconds(), peak(), turns, longest, ids/trees.Len())
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	held := make([]*tree.Tree, live)
	for i := range held {
		if held[i], err = trees.Tree(i % trees.Len()); err != nil {
			return err
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	fmt.Printf("%-28s %8.0f MB, peak %.0f MB\n", fmt.Sprintf("%d trees live", live), float64(after.HeapAlloc-before.HeapAlloc)/1e6, peak())
	runtime.KeepAlive(held)
	if peak() > limit {
		return fmt.Errorf("%.0f MB are more than %.0f", peak(), limit)
	}
	return nil
}

// peak is the most memory that this process had, in MB.
func peak() float64 { return float64(client.ProcessUsage().MaxRSS) / 1e6 }
