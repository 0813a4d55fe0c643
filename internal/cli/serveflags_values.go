package cli

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
)

// setStages reads --stages.
func (o *serveOptions) setStages(text string) error {
	if _, err := pace.ParseStages(text); err != nil {
		return argv.Errorf("", "can't be read: %v", err)
	}
	o.Stages = text
	return nil
}

// setRampRate reads --ramp-rate: 5..50.
func (o *serveOptions) setRampRate(text string) error {
	_, _, err := bench.ParseRamp(text)
	o.RampRate = text
	return err
}

// setRangeRatio reads --random-range-ratio: a number, or a JSON object with input and output.
func (o *serveOptions) setRangeRatio(text string) error {
	var r workload.RangeRatio
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		var both struct{ Input, Output *float64 }
		d := json.NewDecoder(bytes.NewReader([]byte(text)))
		d.DisallowUnknownFields()
		if err := d.Decode(&both); err != nil || d.More() || both.Input == nil || both.Output == nil {
			return argv.Errorf("", `needs both ratios, as in {"input": 0.1, "output": 0.5}, not %s`, text)
		}
		r = workload.RangeRatio{Input: *both.Input, Output: *both.Output}
	} else {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return argv.Errorf("", "needs a number or a JSON object, not %q", text)
		}
		r = workload.RangeRatio{Input: v, Output: v}
	}
	for _, v := range []float64{r.Input, r.Output} {
		if !(v >= 0 && v < 1) { // so that nan fails too
			return argv.Errorf("", "must be at least 0 and below 1, not %g", v)
		}
	}
	o.RandomRangeRatio = r
	return nil
}

// parseGoodput makes the limits of what --goodput was given; nil: none.
func parseGoodput(pairs []argv.Pair) (map[string]float64, error) {
	var clauses []string
	for _, p := range pairs {
		clauses = append(clauses, p.Key+":"+p.Value)
	}
	return bench.ParseGoodput(clauses)
}
