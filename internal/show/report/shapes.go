package report

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/judge/batch"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/stats"
)

// ShapesFormats are the forms in which shapes can be shown: those of llama-bench.
var ShapesFormats = []string{"md", "csv", "json", "jsonl"}

// Shapes are the rows of one bench shapes, and what they have in common.
type Shapes struct {
	Model  string
	Server string // who answers, as it calls itself; empty: unknown
	Bytes  int64  // of the model; 0: the server doesn't say
	Params int64  // of the model; 0: the server doesn't say
	Rows   []ShapeLine

	Overhead   []float64 // ns of a prompt of one token up to its first token, by repetition
	Subtracted bool      // its mean is taken from the times of prompts
}

// ShapeLine is a row with where it comes from.
type ShapeLine struct {
	batch.ShapeRow
	Time string // when it was measured, as in 2026-01-31T15:04:05Z
	Run  string // the folder of its journal
}

// WriteShapes writes them in one of ShapesFormats.
func WriteShapes(w io.Writer, s *Shapes, format string) error {
	b := bufio.NewWriter(w)
	switch format {
	case "md":
		s.markdown(b)
	case "csv":
		s.csv(b)
	case "json":
		rows := pyjson.List{N: len(s.Rows), Item: func(i int) any { return s.object(&s.Rows[i], true) }}
		if err := pyjson.WriteIndent(b, rows, 2); err != nil {
			return err
		}
		b.WriteByte('\n')
	case "jsonl":
		for i := range s.Rows {
			if err := pyjson.Write(b, s.object(&s.Rows[i], true)); err != nil {
				return err
			}
			b.WriteByte('\n')
		}
	default:
		return fmt.Errorf("no form of shapes is called %q: use one of %s", format, strings.Join(ShapesFormats, ", "))
	}
	return b.Flush()
}

// object is a row under llama-bench's keys, as far as a client can know them, and
// ours behind them.
func (s *Shapes) object(r *ShapeLine, samples bool) object {
	known := func(v int64) any {
		if v == 0 {
			return nil
		}
		return v
	}
	times, rates, server := r.Times(), r.Rates(), r.ServerRates()
	avgNs, devNs := stats.MeanDeviation(times)
	avg, dev := stats.MeanDeviation(rates)
	o := object{
		{"backends", s.Server},
		{"model_filename", s.Model},
		{"model_type", s.Model},
		{"model_size", known(s.Bytes)},
		{"model_n_params", known(s.Params)},
		{"n_prompt", r.Prompt},
		{"n_gen", r.Gen},
		{"n_depth", r.Depth},
		{"test_time", r.Time},
		{"avg_ns", whole(avgNs)},
		{"stddev_ns", whole(devNs)},
		{"avg_ts", avg},
		{"stddev_ts", dev},
	}
	if samples {
		ns := pyjson.List{N: len(times), Item: func(i int) any { return whole(times[i]) }}
		o = append(o, ordered.Member{"samples_ns", ns}, ordered.Member{"samples_ts", rates})
	}
	overhead, _ := stats.MeanDeviation(s.Overhead)
	serverAvg, serverDev := stats.MeanDeviation(server)
	o = append(o, object{
		{"batch", r.Batch},
		{"test", r.Test()},
		{"server_avg_ts", serverAvg},
		{"server_stddev_ts", serverDev},
		{"overhead_ns", whole(overhead)},
		{"overhead_subtracted_ns", r.Overhead},
		{"failed_repetitions", len(r.Failures)},
		{"run", r.Run},
	}...)
	if samples {
		o = append(o, ordered.Member{"failures", r.Failures})
	}
	return o
}

// whole is a number of nanoseconds; what is not known is null.
func whole(ns float64) any {
	if math.IsNaN(ns) {
		return nil
	}
	return int64(math.Round(ns))
}

// csv writes every value in quotes, as llama-bench does.
func (s *Shapes) csv(b *bufio.Writer) {
	for i := range s.Rows {
		var keys, values []string
		for _, m := range s.object(&s.Rows[i], false) {
			keys = append(keys, m.Key)
			text := ""
			switch v := m.Value.(type) {
			case nil:
			case float64:
				if math.IsNaN(v) {
					break
				}
				text = strconv.FormatFloat(v, 'f', 6, 64)
			default:
				text = fmt.Sprint(v)
			}
			values = append(values, `"`+strings.ReplaceAll(text, `"`, `""`)+`"`)
		}
		if i == 0 {
			b.WriteString(strings.Join(keys, ",") + "\n")
		}
		b.WriteString(strings.Join(values, ",") + "\n")
	}
}

// column of the Markdown table, as wide as llama-bench makes it.
type column struct {
	title string
	width int // negative: flush left
	cell  func(*ShapeLine) string
}

// columns are llama-bench's, as far as a client can know them. A column that says
// the same of every row, or nothing, is left out as it does.
func (s *Shapes) columns() []column {
	same := func(text string) func(*ShapeLine) string { return func(*ShapeLine) string { return text } }
	server := s.Server
	if server == "" {
		server = "unknown"
	}
	model := path.Base(strings.ReplaceAll(s.Model, "\\", "/")) // llama.cpp names a model by its file
	c := []column{{"model", -30, same(model)}}
	if s.Bytes > 0 {
		c = append(c, column{"size", 10, same(binarySize(s.Bytes))})
	}
	if s.Params > 0 {
		c = append(c, column{"params", 10, same(decimalSize(s.Params))})
	}
	c = append(c, column{"backend", -10, same(server)})
	batches, timed := false, false
	for i := range s.Rows {
		batches = batches || s.Rows[i].Batch != 1
		timed = timed || s.Rows[i].ServerRates() != nil
	}
	if batches {
		c = append(c, column{"batch", 7, func(r *ShapeLine) string { return strconv.Itoa(r.Batch) }})
	}
	c = append(c,
		column{"test", 15, func(r *ShapeLine) string { return r.Test() }},
		column{"t/s", 20, func(r *ShapeLine) string { return plusMinus(r.Rates()) }})
	if timed {
		c = append(c, column{"server t/s", 20, func(r *ShapeLine) string { return plusMinus(r.ServerRates()) }})
	}
	return c
}

// fit widens a column for its longest cell.
func (c *column) fit(rows []ShapeLine) {
	for i := range rows {
		n := utf8.RuneCountInString(c.cell(&rows[i]))
		if c.width < 0 {
			c.width = min(c.width, -n)
		} else {
			c.width = max(c.width, n)
		}
	}
}

func (s *Shapes) markdown(b *bufio.Writer) {
	columns := s.columns()
	for i := range columns {
		columns[i].fit(s.Rows)
	}
	line := func(cell func(column) string) {
		b.WriteByte('|')
		for _, c := range columns {
			b.WriteString(" " + pad(cell(c), c.width) + " |")
		}
		b.WriteByte('\n')
	}
	line(func(c column) string { return c.title })
	line(func(c column) string {
		if c.width < 0 {
			return strings.Repeat("-", -c.width)
		}
		return strings.Repeat("-", c.width-1) + ":"
	})
	for i := range s.Rows {
		line(func(c column) string { return c.cell(&s.Rows[i]) })
	}
	b.WriteByte('\n')
	s.footnotes(b)
}

// footnotes say what the table can't.
func (s *Shapes) footnotes(b *bufio.Writer) {
	for i := range s.Rows {
		r := &s.Rows[i]
		if n := len(r.Failures); n > 0 {
			fmt.Fprintf(b, "%s: %d of %d repetitions failed and are not counted: %s\n", r.Test(), n, n+len(r.Samples), outside.Word(r.Failures[0]))
		}
	}
	if len(s.Overhead) == 0 {
		return
	}
	ms := make([]float64, len(s.Overhead))
	for i, ns := range s.Overhead {
		ms[i] = ns / 1e6
	}
	what := "it is part of the times of pp"
	if s.Subtracted {
		what = "its mean is subtracted from the times of pp"
	}
	fmt.Fprintf(b, "a prompt of one token, to its first token: %s ms; %s\n", plusMinus(ms), what)
}

// plusMinus is mean and deviation; without a value it says so.
func plusMinus(v []float64) string {
	if len(v) == 0 {
		return "unknown"
	}
	avg, dev := stats.MeanDeviation(v)
	return fmt.Sprintf("%.2f ± %.2f", avg, dev)
}

func pad(text string, width int) string {
	fill := strings.Repeat(" ", max(max(width, -width)-utf8.RuneCountInString(text), 0))
	if width < 0 {
		return text + fill
	}
	return fill + text
}

func binarySize(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
}

func decimalSize(n int64) string {
	if n < 1e9 {
		return fmt.Sprintf("%.2f M", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f B", float64(n)/1e9)
}
