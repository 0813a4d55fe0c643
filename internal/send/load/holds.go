package load

// shortestHold is what counts before an event: shorter ones are the turns of others, and counted alone.
const shortestHold = 1e6 // ns

// holds gives for how long this process was held up between two moments of a request, each time a later one.
func (w *worker) holds(sent int64) func(from, to int64) int64 {
	events := w.sink.Trace.Events
	if w.run.cfg.Holds == nil || len(events) == 0 {
		return func(int64, int64) int64 { return 0 }
	}
	w.held = w.run.cfg.Holds(w.held[:0], sent, events[len(events)-1].At)
	left := w.held
	return func(from, to int64) (ns int64) {
		for len(left) > 0 && left[0].To <= from {
			left = left[1:]
		}
		for _, h := range left {
			if h.From >= to {
				break
			}
			if h.To-h.From >= shortestHold {
				ns += max(min(h.To, to)-max(h.From, from), 0)
			}
		}
		return ns
	}
}
