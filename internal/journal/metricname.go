package journal

// MetricName says what a metric of a server means, where the user's mapping does. The words
// for meanings are those of package serving; one that it does not know is passed over.
type MetricName struct {
	Name    string  `json:"name"`            // of a histogram: without _sum, _count, _bucket
	Label   string  `json:"label,omitempty"` // with Value: only lines with this label
	Value   string  `json:"value,omitempty"`
	Meaning string  `json:"meaning"`
	Scale   float64 `json:"scale,omitempty"` // the value in our unit is the server's times this; 0: 1
}
