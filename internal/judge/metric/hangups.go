package metric

// hangUpNumbers are of clients that hang up on purpose. A run without them does not have them.
func hangUpNumbers() []Metric {
	return []Metric{
		{
			Name: "hung_up", Scope: PerRun, Unit: "requests", Doc: "requests that their client ended on purpose (--request-cancellation-rate): neither completed nor failed", Share: true,
			Title: "Requests hung up on", Column: "hung up",
			Run: func(t *Totals) (float64, bool) { return float64(t.HungUp), t.HangsUp },
		},
		{
			Name: "tokens_for_nobody", Scope: PerRun, Unit: "tokens", Better: Lower, Doc: "tokens that the server generated at most for requests whose client had hung up, by its own counters up to the end of the run",
			Title: "Tokens for nobody", Label: "tokens for nobody", Column: "for nobody",
			Run: func(t *Totals) (float64, bool) { return known(t.ForNobody), t.HangsUp },
		},
	}
}
