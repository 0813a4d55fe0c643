// Command journal shows that report reads a journal of any size in the same memory: it makes one of 0.5 GB and one
// of 5 GB (its lines' bytes; on disk it is compressed), and measures report as text, as JSON and as a page.
//
//	make bench-journal
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/show/fakerun"
)

func main() {
	binary := harness.Binary()
	small := flag.Float64("small", 0.5, "GB of the smaller journal")
	large := flag.Float64("large", 5, "GB of the larger journal")
	limit := flag.Float64("max", 1.2, "largest ratio of memory")
	folder := flag.String("folder", "", "where the journals are made and kept; without it they are removed")
	harness.Main("bench-journal", func() error { return measure(*binary, *folder, *small, *large, *limit) })
}

var formats = []string{"table", "json", "html"}

func measure(binary, folder string, small, large, limit float64) error {
	if folder == "" {
		made, err := os.MkdirTemp("", "bench-journal")
		if err != nil {
			return err
		}
		defer os.RemoveAll(made)
		folder = made
	}
	fmt.Printf("%8s %12s %10s %10s %10s %10s %10s\n", "lines", "requests", "on disk", "format", "seconds", "CPU s", "peak, MB")
	peaks := map[string][2]float64{}
	for i, size := range []float64{small, large} {
		run := filepath.Join(folder, fmt.Sprintf("%gGB", size))
		requests, bytes, err := write(run, size*1e9)
		if err != nil {
			return err
		}
		for _, format := range formats {
			c, err := harness.Run(binary, "report", run, "--format", format, "-o", filepath.Join(folder, "out."+format))
			if err != nil {
				return err
			}
			fmt.Printf("%6.1fGB %12d %8.2fGB %10s %10.1f %10.1f %10.1f\n", size, requests, float64(bytes)/1e9, format, c.Wall.Seconds(), c.CPU.Seconds(), c.PeakMB)
			p := peaks[format]
			p[i] = c.PeakMB
			peaks[format] = p
		}
	}
	failed := false
	for _, format := range formats {
		ratio := peaks[format][1] / peaks[format][0]
		fmt.Printf("%s: %.2f × the memory for %.0f × the journal\n", format, ratio, large/small)
		failed = failed || ratio > limit
	}
	if failed {
		return fmt.Errorf("FAIL: a ratio is above %.2f", limit)
	}
	return nil
}

// write makes a journal with so many bytes of lines, as a run of streams of 20 to 200 tokens writes them. One that
// is there is used again; its requests are then not known.
func write(run string, size float64) (requests int, onDisk int64, err error) {
	path := filepath.Join(run, journal.FileName)
	if info, err := os.Stat(path); err == nil {
		return 0, info.Size(), nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, err
	}
	if err := os.MkdirAll(run, 0o777); err != nil {
		return 0, 0, err
	}
	w, err := journal.Create(path)
	if err != nil {
		return 0, 0, err
	}
	head := (&fakerun.Journal{N: 1, Words: "endurance"}).Run()
	if err := w.Run(head); err != nil {
		return 0, 0, errors.Join(err, w.Close())
	}
	random := rand.New(rand.NewPCG(1, 2))
	var line []byte
	for total := 0.0; total < size; requests++ {
		line = journal.AppendRequest(line[:0], request(random, requests))
		total += float64(len(line))
		w.AppendWaiting(line)
	}
	end := &journal.End{At: due(requests) + int64(time.Minute), Sent: requests, WorkloadSHA: "0"}
	if err := errors.Join(w.End(end), w.Close()); err != nil {
		return 0, 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	return requests, info.Size(), nil
}

// due is when a request is sent: 200 a second.
func due(i int) int64 { return int64(i) * int64(5*time.Millisecond) }

func request(random *rand.Rand, i int) *journal.Request {
	tokens := 20 + random.IntN(181)
	r := &journal.Request{
		Index: i, ID: fmt.Sprintf("bench-%d", i), Due: due(i), Released: due(i), Sent: due(i) + random.Int64N(1e6), Outcome: journal.Complete, Status: 200,
		PromptTokens: 100, OutputTokens: tokens, UsagePrompt: 100, UsageOutput: tokens,
	}
	at := int64(50e6) + random.Int64N(100e6)
	for range tokens {
		r.Events.At = append(r.Events.At, at)
		r.Events.Kind = append(r.Events.Kind, journal.EventChoices|journal.EventText)
		at += int64(9e6) + random.Int64N(2e6)
	}
	r.End = r.Sent + at
	if i%50 == 7 {
		r.Outcome, r.Error = journal.Truncated, "the connection was closed before the end of the stream"
	}
	return r
}
