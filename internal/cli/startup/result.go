package startup

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/foreign/serverlog"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/plan/startup"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
	"github.com/inferometer/inferometer/internal/stats"
)

// resultName is the result's file in the folder of a run.
const resultName = "startup.json"

// write prints the answer and writes the files.
func (r *runner) write(typed []string) error {
	if len(r.cold)+len(r.warm) == 0 {
		return nil
	}
	result := r.object(typed)
	for _, path := range []string{filepath.Join(r.folder, resultName), r.JSON} {
		if path == "" {
			continue
		}
		if err := serve.WriteJSONFile(path, func(w io.Writer) error { return pyjson.WriteIndent(w, result, 4) }); err != nil {
			return err
		}
	}
	var b strings.Builder
	r.console(&b, command.TerminalWidth(r.streams.Out))
	_, err := io.WriteString(r.streams.Out, b.String())
	return err
}

// phaseNames are the phases in words.
var phaseNames = map[string]string{
	startup.Port: "process → port open", startup.Ready: "→ ready", startup.Listed: "→ model listed", startup.Asked: "→ request sent (our own)",
	startup.First: "→ first token", startup.Steady: "→ steady speed",
}

func (r *runner) console(b *strings.Builder, width int) {
	cold, warm := marks(r.cold, startup.First), marks(r.warm, startup.First)
	switch {
	case len(cold) > 0 && len(warm) > 0:
		fmt.Fprintf(b, "First token after %s cold and %s warm, as medians of %d and %d starts: %s times as long.\n\n",
			seconds(median(cold)), seconds(median(warm)), len(cold), len(warm), number.Fixed(median(cold)/median(warm), 2))
	case len(cold) > 0:
		fmt.Fprintf(b, "First token after %s, as the median of %d cold starts.\n\n", seconds(median(cold)), len(cold))
	default:
		fmt.Fprintf(b, "First token after %s, as the median of %d warm starts.\n\n", seconds(median(warm)), len(warm))
	}
	columns := func(first string) []table.Column {
		return slices.Concat(table.Words(first), table.Numbers(millis, "cold", "cold range", "warm", "warm range"))
	}
	t := &table.Table{Title: "Phases of a start, in seconds", Columns: columns("phase, in s")}
	for i, name := range startup.Phases() {
		t.Rows = append(t.Rows, slices.Concat(table.Row(phaseNames[name]), cells(phases(r.cold, i)), cells(phases(r.warm, i))))
	}
	t.Rows = append(t.Rows, slices.Concat(table.Row("whole"), cells(wholes(r.cold)), cells(wholes(r.warm))))
	console := &table.Console{Width: width}
	console.Write(b, t)
	if steps := r.steps(); len(steps) > 0 {
		t := &table.Table{Title: "As the server's log says, in seconds", Columns: columns("by its log, in s")}
		for _, s := range steps {
			t.Rows = append(t.Rows, slices.Concat(table.Row(s.Server+": "+s.Name), cells(stepsOf(r.cold, s)), cells(stepsOf(r.warm, s))))
		}
		b.WriteByte('\n')
		console.Write(b, t)
	}
	r.consoleAgain(b, console, "Wake-up", "asleep", "call", r.woken)
	r.consoleAgain(b, console, "Adapter", "unloaded", "loaded", r.loads)
}

func (r *runner) consoleAgain(b *strings.Builder, c *table.Console, title, down, up string, all []startup.Again) {
	if len(all) == 0 {
		return
	}
	t := &table.Table{
		Title:   fmt.Sprintf("%s, %d times, in seconds", title, len(all)),
		Columns: slices.Concat(table.Words(strings.ToLower(title)+", in s"), table.Numbers(millis, "median", "range")),
	}
	for _, part := range againParts {
		t.Rows = append(t.Rows, slices.Concat(table.Row(strings.NewReplacer("DOWN", down, "UP", up).Replace(part.words)), cells(againOf(all, part.of))))
	}
	b.WriteByte('\n')
	c.Write(b, t)
}

var againParts = []struct {
	key, words string
	of         func(*startup.Again) float64
}{
	{"up", "call → UP", func(a *startup.Again) float64 { return a.Up.Seconds() }},
	{"asked", "→ request sent (our own)", func(a *startup.Again) float64 { return a.Asked.Seconds() }},
	{"first_token", "→ first token", func(a *startup.Again) float64 { return a.First.Seconds() }},
	{"whole", "whole", func(a *startup.Again) float64 { return a.Whole().Seconds() }},
	{"down", "DOWN", func(a *startup.Again) float64 { return a.Down.Seconds() }},
}

func againOf(all []startup.Again, of func(*startup.Again) float64) (list []float64) {
	for i := range all {
		list = append(list, of(&all[i]))
	}
	return list
}

func seconds(v float64) string { return number.Fixed(v, 2) + " s" }

func median(v []float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return stats.Median(sorted)
}

// millis writes seconds down to a millisecond.
func millis(v float64) string { return number.Fixed(v, 3) }

// cells are the median, and from where to where it went.
func cells(v []float64) []table.Cell {
	if len(v) == 0 {
		return table.Row(number.None, number.None)
	}
	return table.Row(median(v), millis(slices.Min(v))+"–"+millis(slices.Max(v)))
}

// phases are the times of one phase, of the starts that reached it.
func phases(all []start, i int) (list []float64) {
	for _, s := range all {
		if d, ok := s.Phase(i); ok {
			list = append(list, d.Seconds())
		}
	}
	return list
}

// marks are the ends of a phase, of the starts that reached it.
func marks(all []start, phase string) (list []float64) {
	i := slices.Index(startup.Phases(), phase)
	for _, s := range all {
		if i < s.Reached {
			list = append(list, s.Marks[i].Seconds())
		}
	}
	return list
}

func wholes(all []start) (list []float64) {
	for _, s := range all {
		list = append(list, s.Whole().Seconds())
	}
	return list
}

// steps are those that any log has.
func (r *runner) steps() (list []serverlog.Step) {
	for _, s := range slices.Concat(r.cold, r.warm) {
		for _, step := range s.steps {
			if step.Seconds = 0; !slices.Contains(list, step) {
				list = append(list, step)
			}
		}
	}
	return list
}

func stepsOf(all []start, of serverlog.Step) (list []float64) {
	for _, s := range all {
		for _, step := range s.steps {
			if step.Name == of.Name && step.Server == of.Server {
				list = append(list, step.Seconds)
			}
		}
	}
	return list
}

// object is the result. vLLM's keys are there where they mean the same: its compilation is what its log says. Its startup
// is the time in which the engine's object is made inside Python, which nobody sees from outside.
func (r *runner) object(typed []string) ordered.Object {
	var o ordered.Object
	for _, kind := range []struct {
		name string
		all  []start
	}{{"cold", r.cold}, {"warm", r.warm}} {
		var compiled []float64
		for _, s := range kind.all {
			for _, step := range s.steps {
				if step.Name == serverlog.Compile {
					compiled = append(compiled, step.Seconds)
				}
			}
		}
		if len(compiled) > 0 {
			setVLLM(&o, kind.name+"_compilation", compiled)
		}
	}
	// Ours beside vLLM's, flat, so that a sweep's table has them.
	for _, phase := range []string{startup.Ready, startup.First, startup.Steady} {
		for _, kind := range []struct {
			name string
			all  []start
		}{{"cold", r.cold}, {"warm", r.warm}} {
			if v := marks(kind.all, phase); len(v) > 0 {
				o.Set("median_"+kind.name+"_"+phase+"_s", median(v))
			}
		}
	}
	var ours ordered.Object
	ours.Set("command", typed)
	ours.Set("server_command", r.config.Args)
	ours.Set("cold", startsOf(r.cold))
	ours.Set("warm", startsOf(r.warm))
	for _, again := range []struct {
		key string
		all []startup.Again
	}{{"wake_up", r.woken}, {"adapter", r.loads}} {
		if len(again.all) == 0 {
			continue
		}
		var part ordered.Object
		for _, p := range againParts {
			part.Set(p.key+"_s", againOf(again.all, p.of))
		}
		ours.Set(again.key, part)
	}
	var whole ordered.Object
	whole.Set("startup", ours)
	o.Set("inferometer", whole)
	return o
}

// vllmPercentiles are those of vllm bench startup.
var vllmPercentiles = []float64{10, 25, 50, 75, 90, 99}

func setVLLM(o *ordered.Object, name string, v []float64) {
	sorted := slices.Sorted(slices.Values(v))
	var p ordered.Object
	for _, q := range vllmPercentiles {
		p.Set(strconv.FormatFloat(q, 'f', -1, 64), stats.Percentile(sorted, q))
	}
	o.Set("avg_"+name+"_time", stats.Mean(v))
	o.Set(name+"_times", v)
	o.Set(name+"_percentiles", p)
}

func startsOf(all []start) []any {
	list := []any{}
	for _, s := range all {
		var o, phases ordered.Object
		o.Set("began_unix_s", float64(s.Began.UnixMicro())/1e6)
		o.Set("whole_s", s.Whole().Seconds())
		for i, name := range startup.Phases() {
			if d, ok := s.Phase(i); ok {
				phases.Set(name+"_s", d.Seconds())
			}
		}
		o.Set("phases", phases)
		if len(s.Answers) > 1 {
			o.Set("steady_tpot_ms", float64(startup.Speed(s.Answers))/1e6)
			o.Set("first_tpot_ms", float64(s.Answers[0].Gap())/1e6)
		}
		var said ordered.Object
		for _, step := range s.steps {
			said.Set(step.Name+"_s", step.Seconds)
		}
		if len(said) > 0 {
			o.Set("log", said)
		}
		list = append(list, o)
	}
	return list
}
