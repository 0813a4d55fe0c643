package journal

// Proven is the range in which inferometer selftest has proven that this client
// measures right, on the machine and with the program of the run.
type Proven struct {
	At      int64         `json:"at"` // when, in seconds since 1970
	Version string        `json:"version"`
	Engine  string        `json:"engine"`         // what carried the requests: loop or nethttp
	Busy    string        `json:"busy,omitempty"` // why the machine was not quiet at the time; empty: it was
	Points  []ProvenPoint `json:"points"`
}

// ProvenPoint is one claim: up to so many streams at so many tokens a second in
// all, 99 of 100 times are right to so much.
type ProvenPoint struct {
	Streams    int     `json:"streams"`
	TokensPerS float64 `json:"tokens_per_s"`
	TTFTMS     float64 `json:"ttft_ms"`
	ITLMS      float64 `json:"itl_ms"` // of times between token chunks
}
