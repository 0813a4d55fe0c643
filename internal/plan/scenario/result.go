package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// measured is what tables and SLOs read of a point's result.json.
type measured struct {
	numbers map[string]float64 // every number under its key of the result
	verdict string             // VALID, SUSPECT, INVALID; empty: not judged
	reasons []string
	thin    []string           // percentiles that it has too few values for
	outcome map[string]float64 // requests by their outcome
	targets *targetResults     // nil: it was one server
	fromLog bool               // its numbers of speculative decoding are those of a log
}

// targetResults are the servers behind one target.
type targetResults struct {
	Balance string         `json:"balance"`
	Each    []targetResult `json:"each"`
	Skew    struct {
		Output struct {
			MaxOverMin *float64 `json:"max_over_min"`
		} `json:"output_throughput"`
	} `json:"skew"`
}

type targetResult struct {
	URL              string  `json:"url"`
	Requests         int     `json:"requests"`
	Completed        int     `json:"completed"`
	OutputThroughput float64 `json:"output_throughput"`
	TTFT             summary `json:"ttft"`
	TPOT             summary `json:"tpot"`
}

type summary struct {
	P50   float64 `json:"p50_ms"`
	P99   float64 `json:"p99_ms"`
	Count int     `json:"count"`
}

// readResult reads a result.json.
func readResult(path string) (*measured, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a point's result: %w", err)
	}
	var all map[string]json.RawMessage
	var ours struct {
		Inferometer struct {
			Verdict *struct {
				Level       string
				Reasons     []string
				Unsupported []string
			}
			Outcomes map[string]float64
			Targets  *targetResults
		}
	}
	if err := errors.Join(json.Unmarshal(b, &all), json.Unmarshal(b, &ours)); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	m := &measured{numbers: map[string]float64{}, targets: ours.Inferometer.Targets, outcome: ours.Inferometer.Outcomes}
	for key, text := range all {
		var v *float64
		if json.Unmarshal(text, &v) == nil && v != nil {
			m.numbers[key] = *v
		}
	}
	if v := ours.Inferometer.Verdict; v != nil {
		m.verdict, m.reasons, m.thin = v.Level, v.Reasons, v.Unsupported
	}
	return m, nil
}

// value gives a metric by its name in an SLO.
func (m *measured) value(metric string) (float64, bool) {
	if name, ok := strings.CutSuffix(metric, "_share"); ok {
		all := m.numbers["completed"] + m.numbers["failed"]
		return m.numbers[name] / all, all > 0
	}
	if v, ok := m.numbers[metric]; ok {
		return v, true
	}
	v, ok := m.numbers[metric+"_ms"]
	return v, ok
}
