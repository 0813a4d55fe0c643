package explain

// concurrencyBound: the load itself was bounded, and the server had room for more.
func concurrencyBound(f *facts) *finding {
	if !f.closed && !f.slotsWaited() {
		return nil
	}
	s, d := f.busiest(), f.batch
	if !d.room() || !f.noQueue() || f.failed*20 > f.requests {
		return nil // a queue may be in the time to the first token, and nobody tells
	}
	found := &finding{limit: Concurrency}
	n := f.in.Run.Options.MaxConcurrency
	switch {
	case n > 0:
		found.add("no more than %d requests were sent at once, as --max-concurrency says", n)
	default:
		found.add("no more than %d requests were in flight: there were no more to send", f.peak())
	}
	found.add("with %.3g requests generating, tokens came every %s, and with %.3g, every %s: the other requests in the batch hardly matter", d.few, ms(d.gapFew*1e9), d.many, ms(d.gapMany*1e9))
	if s != nil {
		found.add("the server had almost no queue: %.2g waited on average while %.3g ran", s.waiting, s.running)
	}
	if s != nil && s.cacheUse > 0 {
		found.add("its KV cache was %s full", percent(s.cacheUse))
	}
	found.next = "The server can do more: raise --max-concurrency, or use inferometer find to search for the highest load within your limits."
	return found
}

// peak is the most requests in flight.
func (f *facts) peak() int {
	if f.in.End != nil && f.in.End.PeakInFlight > 0 {
		return f.in.End.PeakInFlight
	}
	most := 0.0
	for _, v := range f.flying {
		most = max(most, v)
	}
	return int(most + 0.5)
}

// served: what was offered was served as it came.
func served(f *facts) *finding {
	g := f.growth()
	if f.closed || !g.known || g.grows || f.slotsWaited() || f.failed*20 > f.requests {
		return nil
	}
	s := f.busiest()
	if f.waitsInServer() != nil {
		return nil
	}
	found := &finding{limit: None}
	found.add("requests were served as they came: %.3g were under way in the middle of the run, %.3g towards its end", g.middle, g.end)
	if s != nil {
		found.add("the server had almost no queue: %.2g waited on average while %.3g ran", s.waiting, s.running)
	}
	if s != nil && s.cacheUse > 0 {
		found.add("its KV cache was %s full", percent(s.cacheUse))
	}
	found.next = "The server may be able to do more: raise --request-rate, or use inferometer find to search for the highest rate within your limits."
	return found
}

// noneFits says why no rule fits.
func (f *facts) noneFits() []string {
	var out []string
	s, g, d := f.busiest(), f.growth(), f.batch
	switch {
	case s == nil:
		out = append(out, sentence("what the server was doing is not known: it exposed no metrics during the load, or none for its batch and queue"))
		if queue, _, _, source := f.stages(); source == byHistograms && queue > 0 {
			out = append(out, sentence("requests spent %s in its queue on average; what they waited for is not known", ms(queue*1e9)))
		} else if f.toFirst.mean() > f.toLast.mean()/4 {
			out = append(out, sentence("%s of a request's time passed before its first token: in the server's queue or while it computed the prompt, which can't be told apart from outside", percent(f.toFirst.mean()/(f.toFirst.mean()+f.toLast.mean()))))
		}
	case f.waitsInServer() != nil:
		out = append(out, sentence("%.3g requests waited in the server on average while %.3g ran, and neither the cache, nor the batch, nor prompts are clearly the reason", s.waiting, s.running))
	}
	switch {
	case g.known && g.grows:
		out = append(out, sentence("requests came faster than they were served: %.3g were under way in the middle of the run, %.3g towards its end", g.middle, g.end))
	case !f.closed && !g.known:
		out = append(out, sentence("%s", g.why))
	}
	switch {
	case d.known && !d.room():
		out = append(out, sentence("tokens came every %s with %.3g requests generating, and every %s with %.3g: %s", ms(d.gapFew*1e9), d.few, ms(d.gapMany*1e9), d.many, d.leavesOpen()))
	case !d.known && f.gaps.Count() > 0:
		out = append(out, sentence("whether more requests at once would make tokens slower is not known: %s", d.unknown))
	}
	if f.failed*20 > f.requests {
		out = append(out, sentence("%d of %s failed", f.failed, counted(f.requests, "request")))
	}
	if len(out) == 0 {
		out = []string{sentence("nothing stands out")}
	}
	return out
}
