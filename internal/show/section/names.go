package section

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/measure"
)

// Name is what a run is called: its label, else its folder, with its load.
func Name(r *measure.Result, folder string) string {
	name := r.Run.Options.Label
	if name == "" {
		name = filepath.Base(folder)
	}
	if name == "" || name == "." {
		name = "run"
	}
	return name
}

// Load is how hard a run pressed, in short.
func Load(r *measure.Result) string {
	o := &r.Run.Options
	switch {
	case o.RequestRate > 0 && o.MaxConcurrency > 0:
		return fmt.Sprintf("%g req/s, at most %d at once", o.RequestRate, o.MaxConcurrency)
	case o.RequestRate > 0:
		return fmt.Sprintf("%g req/s", o.RequestRate)
	case o.RampUp != nil:
		return fmt.Sprintf("%d to %d req/s", o.RampUp.StartRPS, o.RampUp.EndRPS)
	case o.MaxConcurrency > 0:
		return fmt.Sprintf("%d at once", o.MaxConcurrency)
	case o.Pace == "closed" || o.Pace == "" || o.Pace == "burst":
		return "all at once"
	}
	return o.Pace
}

// NameApart gives runs of the same name their load, and numbers where that is the same too.
func NameApart(runs []Run) {
	apart := func(more func(i int) string) {
		count := map[string]int{}
		for i := range runs {
			count[runs[i].Name]++
		}
		for i := range runs {
			if count[runs[i].Name] > 1 {
				runs[i].Name += more(i)
			}
		}
	}
	apart(func(i int) string { return ", " + Load(runs[i].Result) })
	apart(func(i int) string { return fmt.Sprintf(" (%d)", i+1) })
}

// Command is a command line to be pasted into a shell.
func Command(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if a == "" || strings.ContainsAny(a, " \t\n\"'`$&|;<>()*?[]#~\\!{}") {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// Start is when a run began, in the zone of its machine.
func Start(r *measure.Result) time.Time {
	t := time.Unix(0, r.Run.StartUnixNs).UTC()
	if zone, err := time.Parse("-07:00", r.Run.Zone); err == nil {
		t = t.In(zone.Location())
	}
	return t
}
