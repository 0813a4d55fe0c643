package chartdata

import (
	"fmt"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// ServerSeries is one of the server's own metrics over the run. A value is NaN where the
// server said nothing, or began anew.
type ServerSeries struct {
	Name  string // for people
	Panel string // what it is drawn with: requests, kv, tokens, prompt, preemptions, hits, drafts
	At    []float64
	Value []float64
}

// drawn is one line of a chart, by what the metric means.
type drawn struct {
	name, panel string
	meaning     serving.Meaning
	of          serving.Meaning // not empty: the growth of meaning as a share of its growth
	rate        bool            // a counter: its change per second
}

var drawing = []drawn{
	{"running", "requests", serving.Running, "", false},
	{"waiting", "requests", serving.Waiting, "", false},
	{"in flight", "requests", serving.InFlight, "", false},
	{"KV cache in use", "kv", serving.CacheUse, "", false},
	{"generated tokens per second", "tokens", serving.GeneratedTokens, "", true},
	{"prompt tokens per second", "prompt", serving.PromptTokens, "", true},
	{"computed prompt tokens per second", "prompt", serving.ComputedTokens, "", true},
	{"preemptions per second", "preemptions", serving.Preemptions, "", true},
	{"prefix hit rate", "hits", serving.PrefixHits, serving.PrefixQueries, false},
	{"prefix hit rate by the server", "hits", serving.PrefixHitRate, "", false},
	{"accepted draft tokens", "drafts", serving.AcceptedTokens, serving.DraftTokens, false},
}

// fewScrapes are no course: those before and after the load say nothing of between.
const fewScrapes = 3

// serverSeries are the courses of the servers' metrics; of several servers each has its own.
func serverSeries(replicas []journal.Replica, scrapes []journal.Scrape, mapping []journal.MetricName) []ServerSeries {
	courses := serving.Courses(scrapes, mapping...)
	var out []ServerSeries
	for i := range courses {
		c := &courses[i]
		if len(c.At) < fewScrapes {
			continue
		}
		for _, s := range oneServer(c) {
			switch {
			case c.Replica > 0 && c.Replica <= len(replicas):
				s.Name += ", " + replicas[c.Replica-1].Name
			case c.Replica > 0:
				s.Name = fmt.Sprintf("%s, replica %d", s.Name, c.Replica)
			case len(courses) > 1:
				s.Name = fmt.Sprintf("%s, server %d", s.Name, c.Target+1)
			}
			out = append(out, s)
		}
	}
	return out
}

func oneServer(c *serving.Course) []ServerSeries {
	var out []ServerSeries
	for _, d := range drawing {
		if s := d.series(c); worthALine(s.Value) {
			out = append(out, s)
		}
	}
	return out
}

// worthALine says that there are two values to draw a line between.
func worthALine(list []float64) bool {
	n := 0
	for _, v := range list {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n > 1
}

func (d *drawn) series(c *serving.Course) ServerSeries {
	s := ServerSeries{Name: d.name, Panel: d.panel}
	if family, _, ok := strings.Cut(c.Name[d.meaning], ":"); ok {
		s.Name = family + ": " + d.name
	}
	var at, value []float64
	switch {
	case d.of != "":
		at, value = c.Ratio(d.meaning, d.of)
	case d.rate:
		at, value = c.Rate(d.meaning)
	default:
		at, value = c.At, c.Gauge[d.meaning]
	}
	for i := range value {
		if at[i] >= 0 {
			s.At, s.Value = append(s.At, at[i]), append(s.Value, value[i])
		}
	}
	s.At, s.Value = thinned(s.At, MostPoints), thinned(s.Value, MostPoints)
	return s
}
