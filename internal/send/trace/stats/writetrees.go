package stats

import (
	"fmt"
	"io"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// maxShown is how many kinds of branches are printed.
const maxShown = 12

// write prints what is known of the jobs.
func (t *Trees) write(w io.Writer) {
	t.writeBranches(w)
	writeHead(w, "a tree has")
	writeLengths(w, "  turns", &t.Turns)
	if t.InFlight.N > 0 {
		writeLengths(w, "  at once", &t.InFlight)
	}
	writeHead(w, "seconds")
	writeSeconds(w, "  job", &t.Job)
	writeSeconds(w, "  pause", &t.Pauses)
	if t.Empty > 0 {
		fmt.Fprintf(w, "left out   %s without a request that can be sent\n", count(t.Empty, "tree"))
	}
	if t.Cut > 0 {
		fmt.Fprintf(w, "ids        %s had more block ids than blocks; the rest is left out\n", count(t.Cut, "turn"))
	}
	switch {
	case t.Untimed == t.Count:
		fmt.Fprintln(w, "           how long its answers took is not known")
	case t.Untimed > 0:
		fmt.Fprintf(w, "           how long answers took is not known of %s\n", count(t.Untimed, "tree"))
	}
	if t.Job.Sum > 0 {
		fmt.Fprintf(w, "path       %.1f %% of the jobs' time is spent in answers on the critical path;\n", 100*t.Model)
		fmt.Fprintln(w, "           the rest is tools and pauses")
	}
}

// writeBranches prints how many agents there are of each kind.
func (t *Trees) writeBranches(w io.Writer) {
	line, kinds := "branches  ", t.Branches
	for i, k := range kinds {
		word := fmt.Sprintf("%s %s (%s)", thousands(k.Branches), outside.Line(k.Kind, 40), count(k.Turns, "turn"))
		if i == maxShown {
			word = fmt.Sprintf("and %d more kinds", len(kinds)-i)
		}
		if i < len(kinds)-1 && i < maxShown {
			word += ","
		}
		if len([]rune(line))+1+len([]rune(word)) > 80 {
			fmt.Fprintln(w, line)
			line = strings.Repeat(" ", 10)
		}
		line += " " + word
		if i == maxShown {
			break
		}
	}
	fmt.Fprintln(w, line)
	if t.Spawned.N > 0 {
		fmt.Fprintf(w, "           at most %s; a turn that spawns begins %.1f on average, at most %d\n",
			count(t.Depth.Max, "level"), t.Spawned.Mean, t.Spawned.Max)
	}
}

// writeSeconds prints a distribution of milliseconds.
func writeSeconds(w io.Writer, name string, l *Lengths) {
	if l.N == 0 {
		writeKnown(w, name, nil)
		return
	}
	fmt.Fprintf(w, "%-10s", name)
	for _, ms := range []float64{l.Mean, l.Std, float64(l.Min), l.P50, l.P90, l.P99, float64(l.Max)} {
		fmt.Fprintf(w, " %9.2f", ms/1000)
	}
	fmt.Fprintln(w)
}

// count is a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(n) + " " + thing + "s"
}
