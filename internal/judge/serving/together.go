package serving

// together is all servers as one. A sum is there only where each of them tells its part: of
// a part of them it would be taken for the whole.
func together(run *Run, spans []*span, each []Server) Server {
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
	if len(spans) < run.Targets {
		return out
	}
	sum := func(m Meaning) *Level { return level(summed(courses, m)) }
	out.Running, out.Waiting, out.Swapped, out.InFlight = sum(Running), sum(Waiting), sum(Swapped), sum(InFlight)
	out.CacheUse = meanLevel(each)
	total := func(m Meaning) *float64 { return sumOf(spans, func(s *span) *float64 { return s.total(m) }) }
	for _, t := range out.totals() {
		*t.to = total(t.of)
	}
	out.StepTokens = ratio(total(IterationTokens), out.Steps)
	out.PrefixHitRate = ratio(total(PrefixHits), total(PrefixQueries))
	for _, c := range out.counts(sentToAll(run, spans)) {
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
	all := &Sent{}
	for _, s := range spans {
		if run.Unknown || !s.whole() || s.course.Target >= len(run.Sent) {
			return nil
		}
		all.plus(&run.Sent[s.course.Target])
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
