package stats

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Write prints the numbers; with a width above 0 there are pictures too.
func (s *Stats) Write(w io.Writer, width int) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "trace      %s, format %s: %s", s.names(), s.Format, s.size())
	if s.Failed > 0 {
		fmt.Fprintf(b, ", %s of them failed", thousands(s.Failed))
	}
	if s.Images > 0 {
		fmt.Fprintf(b, ", %s images", thousands(s.Images))
	}
	fmt.Fprintln(b)
	if s.Trees == nil || s.Arrivals != nil {
		s.writeArrivals(b, width)
	}
	if s.Trees != nil {
		s.Trees.write(b)
	}
	writeHead(b, "tokens")
	writeKnown(b, "  input", s.Input)
	writeKnown(b, "  output", s.Output)
	s.writeUnknown(b)
	if s.Sessions != nil && s.Trees == nil {
		s.writeSessions(b)
	}
	s.writeCache(b)
	if width > 0 {
		drawKnown(b, "input tokens", s.Input, width)
		drawKnown(b, "output tokens", s.Output, width)
	}
	return b.Flush()
}

// size is how much there is of it.
func (s *Stats) size() string {
	if s.Trees == nil {
		return count(s.Rows, "row")
	}
	return count(s.Trees.Count, "tree") + " of " + count(s.Rows, "turn")
}

// writeHead begins a table of distributions.
func writeHead(w io.Writer, title string) {
	fmt.Fprintf(w, "%-10s %9s %9s %9s %9s %9s %9s %9s\n", title, "mean", "std", "min", "p50", "p90", "p99", "max")
}

// names are the files, shortly.
func (s *Stats) names() string {
	first := outside.Word(filepath.Base(s.Files[0]))
	if len(s.Files) == 1 {
		return first
	}
	return fmt.Sprintf("%s and %d more", first, len(s.Files)-1)
}

func (s *Stats) writeArrivals(w io.Writer, width int) {
	a := s.Arrivals
	if a == nil {
		fmt.Fprintln(w, "arrivals   its rows have no times")
		return
	}
	fmt.Fprintf(w, "arrivals   %.4g per second over %s; at most %.4g per second in a slot of %.3g s\n", a.Rate, clock(a.Length), a.Peak, a.Slot)
	fmt.Fprintf(w, "           gaps deviate by %.2f of their mean (1: Poisson); %s rows came at the very time of the one before\n", a.GapCV, thousands(a.SameTime))
	if a.Backwards > 0 {
		fmt.Fprintf(w, "           %s rows are earlier than the one before: a replay sorts them\n", thousands(a.Backwards))
	}
	if width > 0 {
		fmt.Fprintf(w, "           %s\n", spark(a.Counts, width-12))
	}
}

// writeKnown prints n/a where no length is known.
func writeKnown(w io.Writer, name string, l *Lengths) {
	if l == nil {
		fmt.Fprintf(w, "%-10s"+strings.Repeat(" %9s", 7)+"\n", name, "n/a", "n/a", "n/a", "n/a", "n/a", "n/a", "n/a")
		return
	}
	writeLengths(w, name, l)
}

func drawKnown(w io.Writer, title string, l *Lengths, width int) {
	if l != nil {
		histogram(w, title, l.Buckets, width)
	}
}

// writeUnknown says which lengths the numbers above do not hold, and which are no count of tokens.
func (s *Stats) writeUnknown(w io.Writer) {
	if s.NoInput+s.NoOutput > 0 {
		if s.Trees != nil {
			fmt.Fprintf(w, "unknown    %s and %s have no length\n", count(s.NoInput, "prompt"), count(s.NoOutput, "answer"))
			return
		}
		fmt.Fprintf(w, "unknown    the length of %s prompts and %s answers: a replay does not send them\n", thousands(s.NoInput), thousands(s.NoOutput))
		fmt.Fprintln(w, "           (prompts: record with --tokenizer, or have clients ask for usage; answers: --output-len gives them one at the replay)")
	}
	if s.Estimated > 0 {
		fmt.Fprintf(w, "estimated  %s answers are as long as the number of their events, which may be fewer than their tokens\n", thousands(s.Estimated))
	}
}

func writeLengths(w io.Writer, name string, l *Lengths) {
	fmt.Fprintf(w, "%-10s %9.1f %9.1f %9d %9.0f %9.0f %9.0f %9d\n", name, l.Mean, l.Std, l.Min, l.P50, l.P90, l.P99, l.Max)
}

func (s *Stats) writeSessions(w io.Writer) {
	n := thousands(s.Sessions.Count)
	if s.Sessions.Most {
		n = "more than " + n
	}
	t := &s.Sessions.Turns
	fmt.Fprintf(w, "sessions   %s, with %.2f turns on average (p50 %.0f, p90 %.0f, max %d); %s rows belong to none\n",
		n, t.Mean, t.P50, t.P90, t.Max, thousands(s.Rows-s.Failed-s.Sessions.Rows))
}

func (s *Stats) writeCache(w io.Writer) {
	c := s.Cache
	switch {
	case c == nil:
		fmt.Fprintln(w, "cache      what its prompts share is not known: it has no block ids")
	case c.ByTree:
		fmt.Fprintf(w, "cache      %.1f %% of %s prompt blocks of %d tokens\n", 100*c.BlockShare, thousands(int(c.Blocks)), c.Block)
		fmt.Fprintf(w, "           (%.1f %% of tokens): what an unbounded cache would hit within a tree\n", 100*c.TokenShare)
	case c.Assumed && s.Trees != nil:
		fmt.Fprintf(w, "cache      %.1f %% of prompt tokens, if each prompt begins with the one before it\n", 100*c.TokenShare)
	case c.Assumed:
		fmt.Fprintf(w, "cache      %.1f %% of prompt tokens, if each prompt of a session begins with the whole one before it\n", 100*c.TokenShare)
	default:
		fmt.Fprintf(w, "cache      %.1f %% of %s prompt blocks of %d tokens were in an earlier prompt (%.1f %% of tokens): what a cache without bounds would hit\n",
			100*c.BlockShare, thousands(int(c.Blocks)), c.Block, 100*c.TokenShare)
		if c.Sampled > 1 {
			fmt.Fprintf(w, "           (estimated from one of %d blocks: there are too many to keep)\n", c.Sampled)
		}
	}
}

// levels are the heights of a sparkline.
var levels = []rune("▁▂▃▄▅▆▇█")

// spark draws counts as one line of a width.
func spark(counts []int, width int) string {
	width = min(max(width, 10), len(counts))
	columns := make([]float64, width)
	for i, n := range counts {
		columns[i*width/len(counts)] += float64(n)
	}
	most := 0.0
	for i := range columns {
		// Columns may be made of different numbers of slots.
		from, to := (i*len(counts)+width-1)/width, ((i+1)*len(counts)+width-1)/width
		columns[i] /= float64(max(to-from, 1))
		most = max(most, columns[i])
	}
	line := make([]rune, width)
	for i, v := range columns {
		line[i] = ' '
		if v > 0 {
			line[i] = levels[min(int(v/most*float64(len(levels))), len(levels)-1)]
		}
	}
	return strings.TrimRight(string(line), " ")
}

// histogram draws a bar per bucket.
func histogram(w io.Writer, title string, buckets []Bucket, width int) {
	most := 0
	for _, b := range buckets {
		most = max(most, b.N)
	}
	if most == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	room := max(width-32, 10)
	for _, b := range buckets {
		eighths := int(math.Round(float64(b.N) / float64(most) * float64(room) * 8))
		bar := strings.Repeat("█", eighths/8)
		if rest := eighths % 8; rest > 0 {
			bar += string([]rune(" ▏▎▍▌▋▊▉")[rest])
		}
		fmt.Fprintf(w, "%9d – %-9d %8s %s\n", b.From, b.To, thousands(b.N), bar)
	}
}

// clock is a time in the largest units that it needs.
func clock(s float64) string {
	switch {
	case s < 120:
		return fmt.Sprintf("%.4g s", s)
	case s < 2*3600:
		return fmt.Sprintf("%.4g min", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%.4g h", s/3600)
	}
	return fmt.Sprintf("%.4g days", s/86400)
}

// thousands has a comma at each thousand.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
