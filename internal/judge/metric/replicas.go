package metric

// replicaNumbers are how a load was spread over several replicas. A run against one server does not have them.
func replicaNumbers() []Metric {
	return []Metric{
		{
			Name: "replica_skew", Scope: PerRun, Unit: "×", Better: Lower, Doc: "requests of the busiest replica / the mean of all replicas; 1 is even", OfReplicas: true,
			Title: "Busiest replica ÷ mean", Label: "busiest ÷ mean", Column: "busiest ÷ mean",
			Usual: Usual{Compare: once},
			Run:   func(t *Totals) (float64, bool) { return known(t.ReplicaSkew), t.Replicated },
		},
		{
			Name: "replica_cov", Scope: PerRun, Unit: "×", Better: Lower, Doc: "standard deviation / mean of the requests of each replica; 0 is even", OfReplicas: true,
			Title: "Coefficient of variation over replicas", Label: "CoV over replicas", Column: "CoV",
			Run: func(t *Totals) (float64, bool) { return known(t.ReplicaCoV), t.Replicated },
		},
		{
			Name: "affinity", Scope: PerRun, Unit: "%", Better: Higher, Doc: "turns of conversations that went to the replica of the turn before / those that have one, where both replicas are known", OfReplicas: true,
			Title: "Turns on their replica (%)", Label: "affinity %", Column: "affinity %",
			Usual: Usual{Compare: once},
			Run:   func(t *Totals) (float64, bool) { return 100 * known(t.TurnsKept), t.Conversed },
		},
	}
}
