package view

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/inferometer/inferometer/internal/foreign"
	"github.com/inferometer/inferometer/internal/plan/run"
	"github.com/inferometer/inferometer/internal/show/number"
)

// Event shows what happened to a point of a plan. result is where its result lies; empty:
// nowhere.
func (s *Screen) Event(e run.Event, name, result string) {
	if s == nil {
		return
	}
	p := Point{Name: name}
	switch e.Kind {
	case run.Skipped:
		p.Phase, p.Text = Skipped, Numbers(result)
	case run.Starting:
		p.Phase = Starting
	case run.Running:
		p.Phase = Running
	case run.Ended:
		p.Phase, p.Text = Done, Numbers(result)
		if o := e.Outcome; o.State != run.Done {
			p.Phase, p.Text = Failed, fmt.Sprintf("after %s", number.Clock(o.Seconds))
			if o.Err != nil {
				p.Text += ": " + o.Err.Error()
			}
		}
	default: // it changes nothing of a point
		return
	}
	s.Point(p)
}

// Numbers are the key numbers of a result; empty: there is none that can be read.
func Numbers(result string) string {
	if result == "" {
		return ""
	}
	runs, err := foreign.ReadFile(result)
	if err != nil || len(runs) == 0 {
		return ""
	}
	r := runs[0]
	var words []string
	say := func(metric, what string, write func(float64) string) {
		if v, ok := r.Values[metric]; ok {
			words = append(words, fmt.Sprintf(what, write(v)))
		}
	}
	say("output_throughput", "%s tokens/s", short)
	say("p99_ttft_ms", "TTFT p99 %s", milliseconds)
	say("p99_itl_ms", "ITL p99 %s", milliseconds)
	if n := r.Facts.Failed; n != nil && *n > 0 {
		words = append(words, count(int64(*n))+" failed")
	}
	if v := r.Facts.Verdict; v != "" && v != "VALID" {
		words = append(words, v)
	}
	return strings.Join(words, " · ")
}

// Below is a path without the folder that all have in common.
func Below(folder, path string) string {
	if short, err := filepath.Rel(folder, path); err == nil {
		return short
	}
	return path
}
