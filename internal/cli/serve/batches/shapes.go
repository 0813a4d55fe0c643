package batches

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/judge/verdict"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/workload/batches"
	"github.com/inferometer/inferometer/internal/show/report"
	"github.com/inferometer/inferometer/internal/stats"
)

// shapesRun is one bench shapes: a run with a journal of its own for each shape.
type shapesRun struct {
	*shapesOptions
	command.Streams
	drain  <-chan struct{}
	root   string // the folder of all runs
	server prepare.Facts
	seed   uint64
	done   int // runs, so that no two draw the same ids

	result  report.Shapes
	invalid []string // tests whose verdict is INVALID
}

func Shapes(ctx context.Context, s command.Streams, args []string) error {
	set, o := shapesFlags()
	args = llamaArgs(args)
	if done, err := command.Parse(s, set, args); done || err != nil {
		return err
	}
	o.Asking(ctx, s)
	if err := o.validate(); err != nil {
		return err
	}
	r := &shapesRun{shapesOptions: o, Streams: s, seed: o.ids.start()}
	o.Command = append([]string{"inferometer", "bench", "shapes"}, set.Redacted(args)...)
	ctx, drain, stop := command.Interrupts(ctx, s.Err)
	defer stop()
	r.drain = drain
	return r.run(ctx)
}

func (r *shapesRun) run(ctx context.Context) error {
	host, err := r.RunHost(r.Streams), error(nil)
	if r.server, err = prepare.Ask(ctx, &r.Spec, &host.Host); err != nil {
		return err
	}
	if r.root, err = bench.NewFolder(r.RunDir, &host.Host); err != nil {
		return err
	}
	defer journal.InProgress(r.root)()
	r.ids.noteTexts(r.Options, r.server, r.Err)
	r.result.Model, r.result.Server = r.server.ModelID, r.server.Name
	r.result.Bytes, r.result.Params, r.result.Subtracted = r.server.Meta.Bytes, r.server.Meta.Params, r.subtractOverhead
	overhead, err := r.measure(ctx, batch.Shape{Prompt: 1, Batch: 1}, "overhead", 0)
	r.result.Overhead = overhead.Times()
	if err == nil && len(overhead.Samples) == 0 {
		err = fmt.Errorf("not even a prompt of one token could be measured: %s%s", overhead.Failures[0], r.ids.advice(r.server, overhead.Failures[0]))
	}
	if err == nil {
		err = r.measureAll(ctx)
	}
	if len(r.result.Rows) > 0 {
		err = errors.Join(err, report.WriteShapes(r.Out, &r.result, r.output))
	}
	bench.Prune(&host.Host, &r.Spec, r.root)
	if err != nil {
		return err
	}
	return r.ending()
}

// measureAll measures the shapes until one can't be, or the user stops it.
func (r *shapesRun) measureAll(ctx context.Context) error {
	var subtract int64
	if r.subtractOverhead {
		avg, _ := stats.MeanDeviation(r.result.Overhead)
		subtract = int64(avg)
	}
	shapes := r.shapes()
	for i, s := range shapes {
		began := time.Now()
		folder := r.folderOf(s)
		row, err := r.measure(ctx, s, folder, subtract)
		if err != nil && !errors.Is(err, prepare.ErrStopped) {
			if len(row.Samples) > 0 { // measured, but not kept: the disk is full
				r.result.Rows = append(r.result.Rows, r.line(row, began, folder))
			}
			return err
		}
		if stopped(ctx, r.drain) {
			r.result.Rows = append(r.result.Rows, r.line(row, began, folder))
			return command.Exit(command.ExitPartial, fmt.Errorf("stopped at %s, %d of %d: the result is partial", s.Test(), i+1, len(shapes)))
		}
		r.result.Rows = append(r.result.Rows, r.line(row, began, folder))
		avg, dev := stats.MeanDeviation(row.Rates())
		if !r.Quiet {
			fmt.Fprintf(r.Err, "%d/%d %s: %.2f ± %.2f t/s\n", i+1, len(shapes), folder, avg, dev)
		}
	}
	return nil
}

func (r *shapesRun) line(row batch.ShapeRow, began time.Time, folder string) report.ShapeLine {
	return report.ShapeLine{ShapeRow: row, Time: began.UTC().Format("2006-01-02T15:04:05Z"), Run: filepath.Join(r.root, folder)}
}

// folderOf is a shape's folder: its name without spaces.
func (r *shapesRun) folderOf(s batch.Shape) string {
	name := strings.ReplaceAll(strings.ReplaceAll(s.Test(), " @ ", "-"), " ", "")
	if s.Batch > 1 {
		name += fmt.Sprintf("-b%d", s.Batch)
	}
	for n := 2; ; n++ { // the same shape may be asked for twice
		if _, err := os.Stat(filepath.Join(r.root, name)); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d", strings.TrimSuffix(name, fmt.Sprintf("-%d", n-1)), n)
	}
}

// measure runs one shape.
func (r *shapesRun) measure(ctx context.Context, s batch.Shape, folder string, overhead int64) (batch.ShapeRow, error) {
	r.done++
	b := batches.BatchOptions{
		Size: s.Batch, Count: r.repetitions, Prompt: s.Prompt, Output: max(s.Gen, 1), Depth: s.Depth,
		IDs: r.ids.most(r.server), Text: r.ids.texts(r.server), Seed: r.seed + uint64(r.done)<<32,
	}
	if s.Prompt == 0 { // generation begins after one token, or after the depth and one
		b.Prompt, b.Depth = s.Depth+1, 0
	}
	run := batchRun{Options: r.Options, Streams: r.Streams, server: r.server, folder: filepath.Join(r.root, folder)}
	if !r.noWarmup {
		run.warmups = s.Batch
	}
	run.body = cacheField(r.server, b.Depth > 0)
	batches, v, err := run.do(ctx, r.drain, b)
	if v != nil && v.Level == verdict.TrustInvalid {
		r.invalid = append(r.invalid, folder)
	}
	return batch.MeasureShape(s, batches, overhead), err
}

// ending is the exit code.
func (r *shapesRun) ending() error {
	failed, counted := 0, 0
	for i := range r.result.Rows {
		failed += len(r.result.Rows[i].Failures)
		counted += len(r.result.Rows[i].Samples)
	}
	switch {
	case counted == 0:
		return command.Exit(command.ExitNothing, errors.New("no repetition completed; the lines above say why"))
	case failed > 0:
		return command.Exit(command.ExitPartial, fmt.Errorf("%d of %d repetitions failed and are not counted", failed, failed+counted))
	case r.Strict && len(r.invalid) > 0:
		return command.Exit(command.ExitInvalid, fmt.Errorf("the verdict on %s is INVALID, and --strict asks for numbers that can be trusted: inferometer report %s tells why",
			strings.Join(r.invalid, ", "), filepath.Join(r.root, r.invalid[0])))
	}
	return nil
}

// stopped reports whether the user has asked for the end.
func stopped(ctx context.Context, drain <-chan struct{}) bool {
	select {
	case <-drain:
		return true
	default:
		return ctx.Err() != nil
	}
}

// cacheField tells llama.cpp whether to use what it has computed before; others don't know the field.
func cacheField(f prepare.Facts, use bool) json.RawMessage {
	if f.Name != "llamacpp" {
		return nil
	}
	return fmt.Appendf(nil, `{"cache_prompt":%t}`, use)
}
