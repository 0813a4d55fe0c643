// Command traces replays an hour of each real trace, 60 times as fast as it was,
// against the simulator: how late requests are sent, and whether they arrive as the
// trace has them, as numbers and as pictures.
//
//	make bench-traces
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/show/chart"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
)

// replays are the traces, and what part of a whole hour each file has.
var replays = []struct{ name, file, from, note string }{
	{"azure-code-2023", "AzureLLMInferenceTrace_code_2023.csv.gz", "0", "the whole trace, 57 min"},
	{"azure-conv-2023", "AzureLLMInferenceTrace_conv_2023.csv.gz", "0", "the whole trace, 58 min"},
	{"mooncake-conversation", "mooncake_conversation_head3000.jsonl.gz", "0", "the first 3,000 rows, 16 min"},
	{"mooncake-synthetic", "mooncake_synthetic_trace.jsonl.gz", "0", "the whole trace, 17 min"},
	{"mooncake-arxiv", "mooncake_arxiv_head1000.jsonl.gz", "0", "the first 1,000 rows, 3 min"},
	{"burstgpt-1.1", "BurstGPT_1_head400.csv.gz", "7h", "one hour of the first 400 rows"},
	{"burstgpt-2.0", "BurstGPT_3_head400.csv.gz", "7h", "one hour of the first 400 rows"},
	{"weka", "weka", "0", "four conversations, 23 min"},
	{"vidur-splitwise", "vidur_splitwise_conv_head1000.csv.gz", "0", "the first 1,000 rows, 3.6 min"},
	{"dynamo", "dynamo_pi_request_trace.jsonl.gz", "0", "the whole trace"},
}

type options struct {
	binary, traces, out string
	speed, limit        float64
	only                string
}

func main() {
	var o options
	harness.BinaryVar(&o.binary)
	flag.StringVar(&o.traces, "traces", filepath.Join("testdata", "traces"), "the folder of the traces")
	flag.StringVar(&o.out, "out", "bench-traces", "the folder of the pictures")
	flag.Float64Var(&o.speed, "speed", 60, "so many times as fast")
	flag.Float64Var(&o.limit, "limit", 5, "the highest p99 of released - due, in ms")
	flag.StringVar(&o.only, "only", "", "only traces whose name has this in it")
	harness.Main("bench-traces", func() error { return o.run() })
}

func (o *options) run() error {
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	fmt.Printf("load average %s\n%-22s %9s %8s %9s %28s %28s  %s\n%60s %28s\n", load(), "trace", "requests", "failed", "req/s",
		"released - due, ms", "sent - due, ms", "what was replayed", "p50 / p99 / max", "p50 / p99 / max")
	late := 0
	for _, r := range replays {
		if !strings.Contains(r.name, o.only) {
			continue
		}
		p, err := o.replay(filepath.Join(o.traces, r.file), r.from)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		released, sent := p.released(), p.sent()
		fmt.Printf("%-22s %9d %8d %9.1f %28s %28s  %s\n", r.name, len(p), p.failed(), p.rate(), released, sent, r.note)
		if released.p99 >= o.limit {
			late++
		}
		if err := p.draw(filepath.Join(o.out, r.name), r.name, o.speed); err != nil {
			return err
		}
	}
	fmt.Printf("pictures: %s; load average %s\n", o.out, load())
	if late > 0 {
		return fmt.Errorf("the p99 of released - due is above %g ms in %d traces", o.limit, late)
	}
	return nil
}

// load is the machine's load average, where the system tells it.
func load() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(b))[:3], " ")
}

// point is one request, in seconds of the run.
type point struct {
	due, released, sent float64
	complete            bool
}

type played []point

// replay runs the program on a trace. The simulator answers at once, 16 tokens in each
// event: what is measured is the sending.
func (o *options) replay(path, from string) (played, error) {
	dir, err := os.MkdirTemp("", "bench-traces")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	sim, err := subprocess.Start(o.binary, "--ttft", "20ms", "--itl", "1ms", "--tokens-per-chunk", "16", "--max-model-len", "10000000")
	if err != nil {
		return nil, err
	}
	defer func() { _ = sim.Stop() }()
	hour := 1
	if h, err := time.ParseDuration(from); err == nil {
		hour += int(h.Hours())
	}
	out, err := exec.Command(o.binary, "bench", "serve", "--base-url", sim.URL, "--model", "sim", "--skip-tokenizer-init",
		"--dataset-name", "trace", "--dataset-path", path, "--trace-speed", fmt.Sprint(o.speed), "--trace-from", from, "--trace-to", fmt.Sprintf("%dh", hour),
		"--run-dir", dir, "--quiet").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, out)
	}
	return read(filepath.Join(dir, journal.FileName))
}

func read(path string) (played, error) {
	j, err := journal.Open(path)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	var p played
	for {
		r, err := j.Next()
		if errors.Is(err, io.EOF) {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		if !r.Warmup {
			p = append(p, point{float64(r.Due) / 1e9, float64(r.Released) / 1e9, float64(r.Sent) / 1e9, r.Outcome == journal.Complete})
		}
	}
}

func (p played) failed() (n int) {
	for _, x := range p {
		if !x.complete {
			n++
		}
	}
	return n
}

func (p played) rate() float64 {
	last := 0.0
	for _, x := range p {
		last = max(last, x.due)
	}
	return float64(len(p)) / max(last, 1e-9)
}

// spread is a distribution in ms.
type spread struct{ p50, p99, max float64 }

func (s spread) String() string { return fmt.Sprintf("%.3f / %.3f / %.3f", s.p50, s.p99, s.max) }

func spreadOf(values []float64) spread {
	slices.Sort(values)
	at := func(share float64) float64 { return 1e3 * values[int(share*float64(len(values)-1))] }
	return spread{at(0.5), at(0.99), at(1)}
}

func (p played) released() spread {
	return p.after(func(x point) float64 { return max(x.released, x.due) - x.due }) // absent: not late
}
func (p played) sent() spread { return p.after(func(x point) float64 { return x.sent - x.due }) }

func (p played) after(of func(point) float64) spread {
	values := make([]float64, len(p))
	for i, x := range p {
		values[i] = of(x)
	}
	return spreadOf(values)
}

// draw shows arrivals as planned and as sent, in slots of a second of the run.
func (p played) draw(path, name string, speed float64) error {
	planned, sent := map[int]float64{}, map[int]float64{}
	last := 0
	for _, x := range p {
		planned[int(x.due)]++
		sent[int(x.sent)]++
		last = max(last, int(x.due), int(x.sent))
	}
	series := func(name string, kind chart.Kind, counts map[int]float64, shift float64) chart.Series {
		s := chart.Series{Name: name, Kind: kind}
		for i := range last + 2 {
			if kind == chart.Points && i > last {
				break
			}
			s.X, s.Y = append(s.X, float64(i)+shift), append(s.Y, counts[i])
		}
		return s
	}
	c := &chart.Chart{
		Title: fmt.Sprintf("%s at %g ×: requests per second of the run", name, speed),
		X:     chart.Axis{Label: "s", Zero: true}, Y: chart.Axis{Label: "requests", Zero: true},
		Series: []chart.Series{series("planned", chart.Steps, planned, 0), series("sent", chart.Points, sent, 0.5)},
	}
	for suffix, write := range map[string]func(io.Writer) error{".svg": c.SVG, ".png": func(w io.Writer) error { return c.PNG(w, 1.5, false) }} {
		f, err := os.Create(path + suffix)
		if err != nil {
			return err
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
