package journal

// Scrape is what the server counted, by its own names, summed over labels.
type Scrape struct {
	At       int64              `json:"at"`                              // when
	After    bool               `json:"after,omitempty"`                 // read after the last request, once the counters stand still; else before the warm-ups
	Target   int                `json:"target,omitempty" bound:"-"`      // an index into Run.Targets
	Replica  int                `json:"replica,omitempty" bound:"index"` // from 1: of Run.Replicas; 0: of the target itself
	During   bool               `json:"during,omitempty"`                // read during the load, each second (--scrape-every): only what has a meaning over time
	Counters map[string]float64 `json:"counters"`                        // totals by name, summed over labels; shares are averaged. A name that needs a label has it; log: is from the server's log
	Dropped  []string           `json:"dropped,omitempty"`               // up to ten names whose value is no number (NaN, Inf, beyond 2^60), which is left out
	// Buckets are histograms, summed over labels: of each name the counts up to an upper
	// bound, by its text (+Inf too). Only before and after the load.
	Buckets map[string]map[string]float64 `json:"buckets,omitempty"`
}

// MetricName says what a metric of a server means, where the user's mapping does. The words
// for meanings are those of package serving; one that it does not know is passed over.
type MetricName struct {
	Name    string  `json:"name"`            // of a histogram: without _sum, _count, _bucket
	Label   string  `json:"label,omitempty"` // with Value: only lines with this label
	Value   string  `json:"value,omitempty"`
	Meaning string  `json:"meaning"`
	Scale   float64 `json:"scale,omitempty"` // the value in our unit is the server's times this; 0: 1
}
