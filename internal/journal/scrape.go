package journal

// Scrape is what the server counted, by its own names, summed over labels.
type Scrape struct {
	At       int64              `json:"at"`
	After    bool               `json:"after,omitempty"`            // the load; else before it
	Target   int                `json:"target,omitempty" bound:"-"` // an index into Run.Targets
	During   bool               `json:"during,omitempty"`           // the load: only what is drawn over time
	Counters map[string]float64 `json:"counters"`
	Dropped  []string           `json:"dropped,omitempty"` // names of which a value was none, such as NaN
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
