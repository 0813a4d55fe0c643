// Package handoff is the command bench handoff: the time to the first token taken apart, where prefill and decode are on
// different servers.
package handoff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/handoff"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec"
)

// options is what the flags say.
type options struct {
	Router  string    `json:"base_url" flag:"base-url" common:"true" default:"http://127.0.0.1:8000" metavar:"URL" help:"The router, which users ask."`
	Roles   []string  `json:"roles" flag:"role" common:"true" repeat:"true" metavar:"ROLE=URL,…" help:"The servers behind it: prefill=URL, which is needed, and decode=URL, whose metrics tell how many bytes are transferred."`
	Asked   []float64 `json:"input_lens" flag:"input-lens" common:"true" default:"256,512,1024,2048" metavar:"N,N,…" help:"Lengths of prompts, in tokens. The slope over them is the transfer."`
	Repeats int       `json:"repeats" flag:"repeats" common:"true" default:"10" min:"2" max:"10000" help:"How often each length is sent each way."`
	Bytes   float64   `json:"kv_bytes" flag:"kv-bytes-per-token" default:"0" min:"0" metavar:"BYTES" shown:"by the decode server's metrics, where it has them" help:"Size of a token in the KV cache, for the bandwidth."`
	Decode  int       `json:"output_len" flag:"output-len" default:"128" min:"16" help:"Tokens of the answers whose gaps are measured, quiet and while prompts are computed."`
	Bursts  int       `json:"bursts" flag:"burst" default:"4" min:"0" help:"Prompts of the largest length that are sent together beside them. 0 leaves this out."`
	Model   string    `json:"model" flag:"model" metavar:"NAME" shown:"the first that the server lists" help:"The model to ask."`
	Backend string    `json:"backend" flag:"backend" default:"auto" metavar:"NAME" help:"The protocol, as in bench serve; auto asks the server what it is."`
	Timeout string    `json:"timeout" flag:"request-timeout" default:"10m" metavar:"TIME" help:"Give up on a request after this long."`
	JSON    string    `json:"output_json" flag:"output-json" common:"true" metavar:"FILE" help:"Write all samples and the result as JSON."`
	Folder  string    `json:"run_dir" flag:"run-dir" metavar:"DIR" shown:"a new one in the user's state folder" help:"Folder for the result."`

	lengths []int // Asked, sorted
}

func flags() (*argv.Set, *options) {
	set := argv.New("inferometer bench handoff",
		"Take the time to the first token apart where prefill and decode are on different servers: prompts of several lengths go by turns to a prefill server alone and through the router. "+
			"What the way through the router takes longer, and grows with the length, is the transfer of the KV cache.")
	set.Example("A router before one prefill and one decode server",
		"inferometer bench handoff --base-url http://127.0.0.1:8000 --role prefill=http://127.0.0.1:8100 --role decode=http://127.0.0.1:8200")
	set.Example("With the bandwidth, for a model with 131072 bytes a token in its cache",
		"inferometer bench handoff --base-url http://127.0.0.1:8000 --role prefill=http://127.0.0.1:8100 --input-lens 1000,4000,16000 --kv-bytes-per-token 131072")
	o := &options{}
	set.Options(o, argv.CommonGroup("Handoff"))
	set.Bare(spec.LooksLikeAddress, "base-url")
	set.Config()
	return set, o
}

// servers are those of a role.
func (o *options) servers(role string) (urls []string) {
	for _, text := range o.Roles {
		if name, url, _ := strings.Cut(text, "="); name == role {
			urls = append(urls, url)
		}
	}
	return urls
}

func (o *options) validate() error {
	if err := argv.CheckOptions(o); err != nil {
		return err
	}
	for _, text := range o.Roles {
		role, url, ok := strings.Cut(text, "=")
		if !ok || !spec.LooksLikeAddress(url) || !slices.Contains([]string{string(journal.Prefill), string(journal.Decode)}, role) {
			return argv.Errorf("role", "must be prefill=URL or decode=URL, not %q", text)
		}
	}
	if n := len(o.servers(string(journal.Prefill))); n == 0 {
		return argv.Errorf("role", "prefill=URL is needed: what that server takes alone is what the rest is taken apart from")
	}
	for _, v := range o.Asked {
		if v < 1 || v > 1<<24 || v != math.Trunc(v) {
			return argv.Errorf("input-lens", "must be lengths of 1 token or more, such as 256,1024")
		}
		o.lengths = append(o.lengths, int(v))
	}
	if len(o.lengths) == 0 {
		return argv.Errorf("input-lens", "is empty: give lengths of prompts, such as 256,1024")
	}
	o.lengths = slices.Compact(slices.Sorted(slices.Values(o.lengths)))
	return nil
}

// Run is the command.
func Run(ctx context.Context, s command.Streams, args []string) error {
	set, o := flags()
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	if err := o.validate(); err != nil {
		return err
	}
	_, full := serve.Flags()
	folder, err := bench.NewFolder(o.Folder, &full.RunHost(s).Host)
	if err != nil {
		return err
	}
	defer journal.InProgress(folder)()
	ctx, drain, stop := command.Interrupts(ctx, s.Err)
	defer stop()
	r := &runner{options: o, streams: s, line: command.NewLine(s.Err), drain: drain, seed: int(time.Now().UnixMilli() % 1_000_000_000)}
	err = r.all(ctx)
	r.line.Clear()
	written := r.write(filepath.Join(folder, "handoff.json"), append([]string{"inferometer", "bench", "handoff"}, set.Redacted(args)...))
	fmt.Fprintf(s.Err, "run: %s\n", folder)
	switch err = errors.Join(err, written); {
	case err == nil:
		return nil
	case len(r.groups) == 0:
		return command.Exit(command.ExitNothing, err)
	}
	return command.Exit(command.ExitPartial, err)
}

// runner sends the requests.
type runner struct {
	*options
	streams command.Streams
	line    *command.Line
	drain   <-chan struct{}
	seed    int

	groups       [][]handoff.Sample
	own          []stages // what the server says of each length's requests, where it does
	gaps         [][]float64
	quiet, burst []float64
	bytes        float64 // per token; 0: not known
	bytesBy      string
}

// stages are what a server says of its parts (Dynamo), in seconds; empty: it says nothing.
type stages struct{ queue, prefill, transfer []float64 }

// errStopped: the user wants no more.
var errStopped = errors.New("stopped by the user: the result is partial")

func (r *runner) all(ctx context.Context) error {
	before := r.transferred(ctx)
	prompts := 0
	for i, tokens := range r.lengths {
		n, err := r.length(ctx, i, tokens)
		prompts += n
		if err != nil {
			return err
		}
	}
	r.bytes, r.bytesBy = r.Bytes, "as given"
	if after := r.transferred(ctx); r.bytes == 0 && prompts > 0 && after > before {
		r.bytes, r.bytesBy = (after-before)/float64(prompts), "by the decode server's metrics"
	}
	if r.Bursts == 0 {
		return nil
	}
	return r.decode(ctx)
}

// length sends prompts of one length by turns; it gives the tokens that went through the router.
func (r *runner) length(ctx context.Context, i, tokens int) (through int, err error) {
	prefill := r.servers(string(journal.Prefill))
	alone, err := r.prober(ctx, prefill[0], tokens, 1, r.Repeats+1, 2*i)
	if err != nil {
		return 0, fmt.Errorf("ask the prefill server alone: %w", err)
	}
	defer alone.Close()
	router, err := r.prober(ctx, r.Router, tokens, 1, r.Repeats+1, 2*i+1)
	if err != nil {
		return 0, fmt.Errorf("ask through the router: %w", err)
	}
	defer router.Close()
	var group []handoff.Sample
	var own stages
	for k := range r.Repeats + 1 {
		select {
		case <-r.drain:
			return through, errStopped
		default:
		}
		r.line.Set("prompts of %d tokens: %d of %d", tokens, k, r.Repeats)
		a, err := alone.Send(ctx, k)
		if err != nil {
			return through, fmt.Errorf("ask the prefill server alone: %w (an SGLang server in prefill mode answers nobody but its router)", err)
		}
		b, err := router.Send(ctx, k)
		if err != nil {
			return through, fmt.Errorf("ask through the router: %w", err)
		}
		through += b.Prompt
		if k == 0 {
			continue // connections are opened, and the first of a length may be compiled for
		}
		group = append(group, handoff.Sample{Tokens: b.Prompt, Alone: a.First.Seconds(), Through: b.First.Seconds()})
		own.add(b.Record)
	}
	r.groups, r.own = append(r.groups, group), append(r.own, own)
	return through, nil
}

func (s *stages) add(q *journal.Request) {
	if q.ServerTransferNs <= 0 && q.ServerQueueNs <= 0 {
		return
	}
	s.queue = append(s.queue, float64(q.ServerQueueNs)/1e9)
	s.prefill = append(s.prefill, float64(q.ServerPromptNs)/1e9)
	s.transfer = append(s.transfer, float64(q.ServerTransferNs)/1e9)
}

// decode measures gaps between tokens, with nothing beside them and while prompts are computed.
func (r *runner) decode(ctx context.Context) error {
	long, err := r.prober(ctx, r.Router, min(64, r.lengths[0]), r.Decode, 2*decodes, 1000)
	if err != nil {
		return err
	}
	defer long.Close()
	prompts, err := r.prober(ctx, r.Router, r.lengths[len(r.lengths)-1], 1, decodes*r.Bursts, 1001)
	if err != nil {
		return err
	}
	defer prompts.Close()
	for k := range decodes {
		r.line.Set("gaps between tokens, quiet and beside %d prompts: %d of %d", r.Bursts, k, decodes)
		got, err := long.Send(ctx, 2*k)
		if err != nil {
			return err
		}
		r.gaps, r.quiet = append(r.gaps, got.Gaps), append(r.quiet, got.Gaps...)
		gaps, err := r.beside(ctx, long, prompts, k)
		if err != nil {
			return err
		}
		r.burst = append(r.burst, gaps...)
	}
	return nil
}

// decodes is how many answers have their gaps measured each way.
const decodes = 3

// beside sends one long answer, and from when it has begun prompts beside it, one set after the other until it is over.
func (r *runner) beside(ctx context.Context, long, prompts *prepare.Prober, k int) (gaps []float64, err error) {
	over := make(chan struct{})
	var wait sync.WaitGroup
	var got *prepare.Probed
	wait.Go(func() {
		defer close(over)
		got, err = long.Send(ctx, 2*k+1)
	})
	for i := range r.Bursts {
		wait.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				if _, err := prompts.Send(ctx, k*r.Bursts+i); err != nil {
					return // what counts is the long answer
				}
			}
		})
	}
	wait.Wait()
	if err != nil {
		return nil, err
	}
	return got.Gaps, nil
}

// prober is ready to send prompts of a length to one address.
func (r *runner) prober(ctx context.Context, url string, tokens, output, count, salt int) (*prepare.Prober, error) {
	var to option.Settings
	to.Add("base-url", url)
	to.Add("backend", r.Backend)
	to.Text("model", r.Model)
	to.Add("request-timeout", r.Timeout)
	return serve.NewProber(ctx, r.streams, to, serve.Small{Input: tokens, Output: output, Count: count, Seed: r.seed + salt})
}

// transferred is what decode servers have received so far, in bytes, where they count it; else 0.
func (r *runner) transferred(ctx context.Context) (sum float64) {
	for _, url := range r.servers(string(journal.Decode)) {
		metrics, err := target.At(url, serve.APIKeyHeader(), &http.Client{}).Metrics(ctx)
		if err != nil {
			continue
		}
		for _, name := range []struct {
			name  string
			scale float64
		}{{"vllm:nixl_bytes_transferred_sum", 1}, {"sglang:kv_transfer_total_mb_sum", 1e6}} {
			if v, ok := metrics.Sum(name.name); ok {
				sum += v * name.scale
			}
		}
	}
	return sum
}
