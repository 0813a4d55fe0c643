package sample

import (
	"math"

	"github.com/inferometer/inferometer/internal/stats"
)

// EarlyStopping is a percentile as MLPerf's early stopping estimates it. It takes the
// values as independent, which our interval does not.
type EarlyStopping struct {
	Percentile float64  `json:"percentile"` // 0 to 1
	Estimate   *float64 `json:"estimate"`   // ms; nil: fewer values than MinQueries
	N          int      `json:"n"`
	MinQueries int      `json:"min_queries"`
	Rank       int      `json:"rank"`            // the estimate is the rank-th largest value; 0: there is none
	Error      float64  `json:"error,omitempty"` // of the estimate, as a share of it, where values are in a histogram
}

// EarlyStopping is the estimate of a sample whose Stats were asked for; nil: MLPerf has none below
// the median.
func (s *Sample) EarlyStopping(p float64) *EarlyStopping {
	e := &EarlyStopping{Percentile: math.Round(p*1e7) / 1e9, N: s.N()}
	if e.Percentile < 0.5 || e.Percentile >= 1 {
		return nil
	}
	e.Rank, e.MinQueries = stats.EarlyStopping(e.N, e.Percentile)
	if e.Rank > 0 {
		v := s.at(e.N - e.Rank)
		e.Estimate, e.Error = &v, s.relativeError()
	}
	return e
}
