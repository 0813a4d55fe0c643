package explain

import (
	"fmt"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

// sentence is a text with a capital and a full stop.
func sentence(format string, args ...any) string {
	s := fmt.Sprintf(format, args...)
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func (found *finding) add(format string, args ...any) {
	found.why = append(found.why, sentence(format, args...))
}

// ms is a duration in nanoseconds for people.
func ms(ns float64) string {
	switch v := ns / 1e6; {
	case math.IsNaN(v):
		return "an unknown time"
	case v >= 10_000:
		return fmt.Sprintf("%.1f s", v/1e3)
	case v >= 100 || v <= 0:
		return fmt.Sprintf("%.0f ms", max(v, 0))
	case v >= 1:
		return fmt.Sprintf("%.1f ms", v)
	default:
		return fmt.Sprintf("%.2g ms", v)
	}
}

// seconds is a moment or a duration for people.
func seconds(s float64) string {
	if s >= 20 {
		return fmt.Sprintf("%.0f s", s)
	}
	return fmt.Sprintf("%.1f s", s)
}

// percent is a share for people.
func percent(share float64) string {
	if math.IsNaN(share) {
		return "an unknown share"
	}
	if v := share * 100; v != 0 && v < 1 {
		return fmt.Sprintf("%.1f %%", v)
	}
	return fmt.Sprintf("%.0f %%", share*100)
}

func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// at names one of several servers.
func (f *facts) at(s *server) string {
	if !f.several() {
		return ""
	}
	return " at " + f.nameOf(s)
}

// advice is that for the server's software, where it is known.
func (s *server) advice(bySoftware map[string]string, otherwise string) string {
	if words := bySoftware[s.software()]; words != "" {
		return words
	}
	return otherwise
}

// seen is what else is to be told beside the limit.
func (f *facts) seen(limit Limit) []string {
	var out []string
	if limit != Client && f.clientInTime() {
		out = append(out, f.clientFine())
	}
	counters := func(grown func(serving.Meaning) float64, at string) {
		if n := grown(serving.Preemptions); n > 0 && limit != Preempting && limit != Cache {
			out = append(out, sentence("there were %.0f preemptions%s", n, at))
		}
		if tokens, accepted := grown(serving.DraftTokens), grown(serving.AcceptedTokens); tokens > 0 && limit != Drafts {
			out = append(out, sentence("%s of the draft tokens%s were accepted", percent(accepted/tokens), at))
		}
		if asked, hits := grown(serving.PrefixQueries), grown(serving.PrefixHits); asked > 0 && hits > 0 {
			out = append(out, sentence("%s of the prompt tokens%s came from the prefix cache", percent(hits/asked), at))
		}
	}
	const each = 3 // more are told together
	if n := len(f.servers); n > each {
		counters(f.grown, fmt.Sprintf(" at %d servers together", n))
	} else {
		for _, s := range f.servers {
			counters(s.grown, f.at(s))
		}
	}
	out = append(out, f.seenOfRouter(limit)...)
	if d := f.batch; d.known && limit != Decode && limit != Concurrency {
		out = append(out, sentence("with %.3g requests generating, tokens came every %s, and with %.3g, every %s", d.few, ms(d.gapFew*1e9), d.many, ms(d.gapMany*1e9)))
	}
	if c := f.drift(); c != nil && limit != Changed {
		out = append(out, sentence("%s", strings.TrimSuffix(c.Sentence, ".")))
	}
	if c := f.faults(); c != nil {
		out = append(out, sentence("%s; what is said here is of the whole run", c.Sentence))
	}
	if f.failed > 0 && limit != Refused {
		out = append(out, sentence("%d of %s failed", f.failed, counted(f.requests, "request")))
	}
	if f.in.End == nil {
		out = append(out, sentence("the run was killed or is under way: its journal has no end"))
	}
	return out
}

// unknown is what the journal does not tell.
func (f *facts) unknown() []string {
	var out []string
	switch s := f.busiest(); {
	case len(f.servers) == 0:
		out = append(out, sentence("the server exposed no metrics: its queue, its cache and its batch are not known"))
	case s == nil:
		out = append(out, sentence("the server's queue and batch over time are not known: its metrics have neither, or were not read during the load (--scrape-every)"))
	case s.scrapes < fewScrapes:
		out = append(out, sentence("the server's metrics were read %d times during the load, too seldom to show how they changed", s.scrapes))
	}
	if !f.client.known {
		out = append(out, sentence("how busy the client was is not known: there are too few samples of it"))
	}
	return out
}
