package compare

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/results"
)

// List is many runs under each other, one line each: what a note full of results
// comes to. There is no baseline, so there are no changes; doubts are there.
type List struct {
	Title string
	Runs  []results.Run
	cols  []Metric
}

// Lists sorts runs into tables whose runs share their metrics: those of serving,
// those by shape, scores. Their order is that of the first run of each.
func Lists(title string, runs []results.Run) []List {
	var lists []List
	for i := range runs {
		kind := kindOf(&runs[i])
		at := slices.IndexFunc(lists, func(l List) bool { return kindOf(&l.Runs[0]) == kind })
		if at < 0 {
			at = len(lists)
			lists = append(lists, List{Title: title})
		}
		lists[at].Runs = append(lists[at].Runs, runs[i])
	}
	for i := range lists {
		lists[i].cols = columns(lists[i].Runs)
	}
	return lists
}

func kindOf(r *results.Run) string {
	switch r.Tool {
	case results.LlamaBench, results.LMEval:
		return string(r.Tool)
	}
	return "serving"
}

// listed are the columns of a table of serving runs; more would not fit a page.
var listed = []string{
	"request_throughput", "output_throughput", "total_token_throughput",
	"mean_ttft_ms", "p99_ttft_ms", "mean_tpot_ms", "p99_tpot_ms", "p99_itl_ms", "mean_e2el_ms",
}

func columns(runs []results.Run) []Metric {
	side := Side{Runs: runs}
	if kindOf(&runs[0]) == "serving" {
		return chosen([]Side{side}, listed)
	}
	return chosen([]Side{side}, nil)
}

// grid is the table: the run, its counts, its numbers. The best of each column is
// the best of the runs that did all their work.
func (l *List) grid() [][]box {
	serving := kindOf(&l.Runs[0]) == "serving"
	header := []box{{text: "run"}}
	if serving {
		header = append(header, box{text: "completed"}, box{text: "concurrency"})
	}
	for _, m := range l.cols {
		header = append(header, box{text: m.Label})
	}
	lines := [][]box{header}
	for i := range l.Runs {
		r := &l.Runs[i]
		name := r.Name
		if r.Facts.Missing() > 0 {
			name += " (!)"
		}
		line := []box{{text: name}}
		if serving {
			line = append(line, box{text: completed(&Side{Runs: l.Runs[i : i+1]})}, box{text: count(r.Facts.Concurrency)})
		}
		for _, m := range l.cols {
			line = append(line, l.box(r, m))
		}
		lines = append(lines, line)
	}
	return lines
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func (l *List) box(r *results.Run, m Metric) box {
	v, ok := r.Values[m.Key]
	if !ok {
		return box{}
	}
	b := box{text: number(v), best: len(l.Runs) > 1 && r.Facts.Missing() == 0}
	for i := range l.Runs {
		o := &l.Runs[i]
		if other, ok := o.Values[m.Key]; ok && o.Facts.Missing() == 0 && m.better(other, v) {
			b.best = false
		}
	}
	return b
}

// doubts are those of each run by itself, one line for all runs with the same, and
// whether all were sent the same.
func (l *List) doubts() []string {
	var sentences []string
	names := map[string][]string{}
	for i := range l.Runs {
		for _, d := range alone(l.Runs[i].Name, &l.Runs[i]) {
			word := "note: "
			if d.Severe {
				word = "NOT COMPARABLE: "
			}
			if names[word+d.Sentence] == nil {
				sentences = append(sentences, word+d.Sentence)
			}
			names[word+d.Sentence] = append(names[word+d.Sentence], d.Side)
		}
	}
	for i, s := range sentences {
		sentences[i] = s + ": " + strings.Join(names[s], "; ")
	}
	if a, b, differ := l.inputSpread(); differ {
		sentences = append(sentences, fmt.Sprintf("note: prompts have from %.0f to %.0f tokens a request: these runs were not sent the same", a, b))
	}
	return sentences
}

func (l *List) inputSpread() (low, high float64, differ bool) {
	for i := range l.Runs {
		f := &l.Runs[i].Facts
		if f.Completed == 0 || f.InputTokens == 0 {
			continue
		}
		v := float64(f.InputTokens) / float64(f.Completed)
		if low == 0 || v < low {
			low = v
		}
		high = max(high, v)
	}
	return low, high, low > 0 && high/low > 1.01
}

// Table writes the list for a terminal, as Comparison.Table does.
func (l *List) Table(w io.Writer, strong func(string) string) error {
	var b strings.Builder
	lines := l.grid()
	if strong == nil {
		strong = func(s string) string { return s }
		star(lines)
	}
	writeAligned(&b, lines, strong, firstLeft)
	for _, d := range l.doubts() {
		b.WriteString(d + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Markdown writes the list to be pasted.
func (l *List) Markdown(w io.Writer) error {
	var b strings.Builder
	writeMarkdown(&b, l.grid(), firstLeft)
	for i, d := range l.doubts() {
		if i == 0 {
			b.WriteString("\n")
		}
		b.WriteString("- " + outside.Markdown(d) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func firstLeft(column int) bool { return column == 0 }
