package serving

import (
	"fmt"
	"math"
)

// notes say what a reader of the numbers must know.
func (s *Summary) notes(run *Run, spans []*span) {
	say := func(format string, args ...any) { s.Notes = append(s.Notes, fmt.Sprintf(format, args...)) }
	if n := run.servers(); n > len(spans) {
		say("%d of %d servers told no metrics, so that there are no sums over all", n-len(spans), n)
	}
	for _, one := range spans {
		who := run.name(one.course.Target, one.course.Replica)
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
	if len(run.Replicas) > 0 && len(s.Each) > 0 {
		s.others("the servers together", say)
		return
	}
	for i := range s.Each {
		s.Each[i].others(run.name(s.Each[i].Target, 0), say)
	}
}

// name is a server in a sentence.
func (r *Run) name(target, replica int) string {
	switch {
	case replica > 0 && replica <= len(r.Replicas):
		return "the replica " + r.Replicas[replica-1].Name
	case r.Targets > 1:
		return fmt.Sprintf("server %d", target+1)
	}
	return "the server"
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
