package metric

// serverNumbers are what servers say of themselves over the run, where their metrics were
// read. A run whose server does not tell one does not have it.
func serverNumbers() []Metric {
	known := func(of func(*Totals) *float64, scale float64) func(*Totals) (float64, bool) {
		return func(t *Totals) (float64, bool) {
			v := of(t)
			if v == nil {
				return 0, false
			}
			return *v * scale, true
		}
	}
	return []Metric{
		{
			Name: "server_preemptions", Scope: PerRun, Unit: "preemptions", Better: Lower, Doc: "sequences that the server evicted from its batch for lack of memory, as it counts them", OfServer: true,
			Title: "Preemptions by the server", Label: "preemptions", Column: "preemptions",
			Run: known(func(t *Totals) *float64 { return t.ServerPreemptions }, 1),
		},
		{
			Name: "server_waiting", Scope: PerRun, Unit: "requests", Better: Lower, Doc: "requests in the server's queue, the mean over the load, as it says", OfServer: true,
			Title: "Requests in the server's queue, mean", Label: "server queue", Column: "server queue",
			Run: known(func(t *Totals) *float64 { return t.ServerWaiting }, 1),
		},
		{
			Name: "server_cache_max", Scope: PerRun, Unit: "%", Doc: "the largest share of the server's KV cache in use that was read during the load", OfServer: true,
			Title: "KV cache in use, largest (%)", Label: "cache max %", Column: "cache max %",
			Run: known(func(t *Totals) *float64 { return t.ServerCacheMax }, 100),
		},
		{
			Name: "server_prefix_hit_rate", Scope: PerRun, Unit: "%", Better: Higher, Doc: "prompt tokens that the server found in its prefix cache / those that it looked for, over the run, by its counters", OfServer: true,
			Title: "Prefix cache hit rate (%)", Label: "prefix hits %", Column: "prefix hits %",
			Run: known(func(t *Totals) *float64 { return t.ServerHitRate }, 100),
		},
	}
}
