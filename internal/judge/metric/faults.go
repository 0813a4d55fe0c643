package metric

// faultNumbers are what users felt of faults that were made on purpose. Only a run with faults has them.
func faultNumbers() []Metric {
	return []Metric{
		{
			Name: "recovery", Scope: PerRun, Unit: "s", Better: Lower, Doc: "from a fault until requests were served as before it, the longest of the run; docs/faults.md has the method", OfFaults: true,
			Short: "Recovery (s)", Title: "Recovery (s)", Label: "recovery s", Column: "recovery s",
			Usual: Usual{Compare: once, List: once, Columns: once},
			Run:   func(t *Totals) (float64, bool) { return known(t.Recovery), t.Faulted },
		},
		{
			Name: "lost_requests", Scope: PerRun, Unit: "requests", Better: Lower, Doc: "requests that failed because of faults: in flight at one, or sent while it was felt", OfFaults: true,
			Title: "Requests lost by faults", Label: "lost requests", Column: "lost requests",
			Usual: Usual{Compare: once, List: once, Columns: once},
			Run:   func(t *Totals) (float64, bool) { return float64(t.LostRequests), t.Faulted },
		},
		{
			Name: "lost_tokens", Scope: PerRun, Unit: "tokens", Better: Lower, Doc: "output tokens that had come of answers which were then lost by a fault", OfFaults: true,
			Title: "Tokens lost by faults", Label: "lost tokens", Column: "lost tokens",
			Usual: Usual{Compare: once},
			Run:   func(t *Totals) (float64, bool) { return float64(t.LostTokens), t.Faulted },
		},
	}
}
