package serving

import (
	"slices"

	"github.com/inferometer/inferometer/internal/journal"
)

// together sums up the servers. Where prefill and decode are apart both count the same prompts and requests, and are never
// merged: each role has its sums, and the whole has what the servers that answer say.
func (s *Summary) together(run *Run, spans []*span) {
	known := run.servers()
	all := sentToAll(run, spans)
	if !slices.ContainsFunc(run.Replicas, func(r journal.Replica) bool { return r.Role == journal.Prefill }) {
		s.Server = together(run, spans, s.Each, known, all)
		return
	}
	for _, role := range []journal.Role{journal.Prefill, journal.Decode} {
		var own []*span
		var each []Server
		others := 0 // servers of the run that are not of the role
		for _, r := range run.Replicas {
			if (r.Role == journal.Prefill) != (role == journal.Prefill) {
				others++
			}
		}
		for i, one := range spans {
			if (one.role == journal.Prefill) == (role == journal.Prefill) {
				own, each = append(own, one), append(each, s.Each[i])
			}
		}
		if len(own) == 0 {
			continue
		}
		sent := all
		if role == journal.Prefill {
			sent = nil // a prompt may go past it
		}
		sum := together(run, own, each, known-others, sent)
		sum.Role = role
		s.Roles = append(s.Roles, sum)
		if role == journal.Decode {
			s.Server = sum
			s.Role = ""
		}
	}
	s.Running, s.Waiting, s.Swapped, s.PrefixHitRate, s.ComputedTokens = nil, nil, nil, nil, nil // of one role: they are there
	s.TTFT, s.Queue, s.Prefill, s.QueueSeconds, s.PrefillSeconds = nil, nil, nil, nil, nil       // begin when prefill is over
}

// together is all of these servers as one. A sum is there only where each of them tells its part: of
// a part of them it would be taken for the whole.
func together(run *Run, spans []*span, each []Server, known int, sent *Sent) Server {
	out := Server{Kind: each[0].Kind}
	courses := make([]Course, len(spans))
	for i, s := range spans {
		courses[i] = s.during
		out.Scrapes += each[i].Scrapes
		if each[i].Kind != out.Kind {
			out.Kind = ""
		}
		if out.Restarted == "" {
			out.Restarted = each[i].Restarted
		}
	}
	if len(spans) < known {
		return out
	}
	for _, l := range out.levels() {
		*l.to = level(summed(courses, l.of))
	}
	out.CacheUse = meanLevel(each)
	total := func(m Meaning) *float64 { return sumOf(spans, func(s *span) *float64 { return s.total(m) }) }
	for _, t := range out.totals() {
		*t.to = total(t.of)
	}
	out.StepTokens = ratio(total(IterationTokens), out.Steps)
	out.PrefixHitRate = ratio(total(PrefixHits), total(PrefixQueries))
	for _, c := range out.counts(sent) {
		if v := total(c.of); v != nil {
			*c.to = counted(*v, sumOf(spans, func(s *span) *float64 { return s.perSecond(c.of, run) }), c.ours)
		}
	}
	for _, h := range out.histograms() {
		*h.to = timesOfAll(spans, h.of)
	}
	return out
}

func sumOf(spans []*span, of func(*span) *float64) *float64 {
	sum := 0.0
	for _, s := range spans {
		v := of(s)
		if v == nil {
			return nil
		}
		sum += *v
	}
	return finite(sum)
}

// meanLevel is the cache of all: each server has its own.
func meanLevel(each []Server) *Level {
	all := &Level{}
	for i := range each {
		l := each[i].CacheUse
		if l == nil {
			return nil
		}
		n := float64(len(each))
		all.Mean, all.Above, all.Max, all.Reads = all.Mean+l.Mean/n, all.Above+l.Above/n, max(all.Max, l.Max), all.Reads+l.Reads
	}
	return all
}

// sentToAll is what we sent to all servers; nil: not known, or not to be compared.
func sentToAll(run *Run, spans []*span) *Sent {
	if run.Unknown || len(run.Sent) < run.Targets {
		return nil
	}
	for _, s := range spans {
		if !s.whole() {
			return nil
		}
	}
	all := &Sent{}
	for i := range run.Sent {
		all.plus(&run.Sent[i])
	}
	return all
}

// timesOfAll puts histograms together: percentiles where all have the same bounds.
func timesOfAll(spans []*span, m Meaning) *Times {
	var all Times
	var sum buckets
	same, milliseconds := true, 0.0
	for i, s := range spans {
		one, b := s.times(m)
		if one == nil {
			return nil
		}
		if i == 0 {
			all.Name = one.Name
		}
		all.Count += one.Count
		milliseconds += one.Mean * one.Count
		switch {
		case b == nil:
			same = false
		case i == 0:
			sum = *b
		case same:
			sum, same = sum.plus(*b)
		}
	}
	all.Mean = milliseconds / all.Count
	if finite(all.Mean) == nil {
		return nil
	}
	if same {
		all.fill(sum)
	}
	return &all
}
