package serving

import (
	"fmt"
	"math"
)

// notes say what a reader of the numbers must know.
func (s *Summary) notes(run *Run, spans []*span) {
	say := func(format string, args ...any) { s.Notes = append(s.Notes, fmt.Sprintf(format, args...)) }
	if missing := run.Targets - len(spans); missing > 0 {
		say("%d of %d servers told no metrics, so that there are no sums over all", missing, run.Targets)
	}
	for _, one := range spans {
		who := "the server"
		if run.Targets > 1 {
			who = fmt.Sprintf("server %d", one.course.Target+1)
		}
		switch {
		case one.restarted != "":
			say("%s began anew during the run (%s): its totals are at least what is said, and are not compared with ours", who, one.restarted)
		case one.before == nil:
			say("the metrics of %s were not read before the load: how far its totals grew is not known", who)
		case one.after == nil:
			say("the metrics of %s were not read after the load: its totals go up to the last time that they were, and are not compared with ours", who)
		}
	}
	if len(s.Each) == 0 {
		s.others("the server", say)
	}
	for i := range s.Each {
		s.Each[i].others(fmt.Sprintf("server %d", s.Each[i].Target+1), say)
	}
}

// others says that somebody else used a server, by the first count that tells.
func (s *Server) others(who string, say func(string, ...any)) {
	for _, c := range []struct {
		of   *Counted
		noun string
	}{{s.Requests, "finished %.0f requests"}, {s.GeneratedTokens, "generated %.0f tokens"}, {s.PromptTokens, "took in %.0f prompt tokens"}} {
		if c.of == nil || c.of.Difference == nil || *c.of.Difference == 0 {
			continue
		}
		d := *c.of.Difference
		words := fmt.Sprintf(c.noun, math.Abs(d))
		if d > 0 {
			say("by its own count %s %s more than we know of: others used it during the run, and its numbers include theirs", who, words)
		} else {
			say("by its own count %s %s fewer than we know of: another one answered some of them, or it does not count all", who, words)
		}
		return
	}
}
