package measure

import (
	"fmt"
	"math"
)

// SteadyState are the numbers of the time in which the load was what was asked
// for: without the climb at the start and the drain at the end.
type SteadyState struct {
	Window            Window       `json:"window"`
	RequestThroughput float64      `json:"request_throughput"`
	InputThroughput   float64      `json:"input_throughput"`
	OutputThroughput  float64      `json:"output_throughput"`
	TotalThroughput   float64      `json:"total_token_throughput"`
	MeanTTFT          float64      `json:"mean_ttft_ms"`
	MedianTTFT        float64      `json:"median_ttft_ms"`
	PercentilesTTFT   [][2]float64 `json:"percentiles_ttft_ms"`
	MeanTPOT          float64      `json:"mean_tpot_ms"`
	MedianTPOT        float64      `json:"median_tpot_ms"`
	P90TPOT           float64      `json:"p90_tpot_ms"`
	P99TPOT           float64      `json:"p99_tpot_ms"`
}

// Window is where the steady state lies. Seconds count from the first send.
type Window struct {
	Start         float64 `json:"start_s"`
	End           float64 `json:"end_s"`
	Duration      float64 `json:"duration_s"`
	Target        int     `json:"target_concurrency"`
	Threshold     float64 `json:"threshold"`
	ThresholdAbs  int     `json:"threshold_abs"`
	ObservedPeak  int     `json:"observed_peak"`
	Started       int     `json:"requests_started_in_window"`
	Completed     int     `json:"requests_completed_in_window"`
	RequestsTotal int     `json:"requests_total"`
	Warning       *string `json:"warning"`
}

// steadyWindow finds the first time that the number of open successes rises to
// the threshold and the last time that it falls below it. Dips between are part of it.
func steadyWindow(rows []Row, threshold int) (from, to int64, peak int, ok bool) {
	var starts, ends []int64
	for i := range rows {
		if rows[i].OK && rows[i].Last > 0 {
			starts = append(starts, rows[i].Sent)
			ends = append(ends, rows[i].Sent+rows[i].Last)
		}
	}
	began, before := false, 0
	sweep(starts, ends, func(at int64, open int) {
		peak = max(peak, open)
		if !began && open >= threshold {
			from, began = at, true
		}
		if before >= threshold && open < threshold {
			to, ok = at, true
		}
		before = open
	})
	return from, to, peak, ok && to > from
}

// steadyState measures inside the window: completions and tokens by their time,
// latencies of the requests that were sent in it.
func steadyState(rows []Row, tokens *timeline, r *Result, opt *Options) *SteadyState {
	limit := r.Run.Options.MaxConcurrency
	threshold := max(1, int(math.Ceil(opt.SteadyThreshold*float64(limit))))
	from, to, peak, ok := steadyWindow(rows, threshold)
	if !ok {
		return nil
	}
	w := Window{
		Target: limit, Threshold: opt.SteadyThreshold, ThresholdAbs: threshold, ObservedPeak: peak,
		Duration: seconds(to - from), RequestsTotal: r.Completed,
	}
	origin := firstStart(rows)
	w.Start, w.End = seconds(from-origin), seconds(to-origin)

	ttft, tpots := NewSample(opt.ExactLimit), NewSample(opt.ExactLimit)
	input := int64(0)
	for i := range rows {
		row := &rows[i]
		if !row.OK {
			continue
		}
		if end := row.Sent + row.Last; end >= from && end < to {
			w.Completed++
		}
		if row.Sent < from || row.Sent >= to {
			continue
		}
		w.Started++
		input += int64(row.Planned)
		ttft.Add(row.TTFT())
		if v, ok := tpot(row); ok {
			tpots.Add(v)
		}
	}
	if w.Started == 0 || w.Completed == 0 {
		return nil
	}
	w.Warning = shortWindow(w.Duration, r.Duration, opt.SteadyMinWindow)

	s := &SteadyState{
		Window:            w,
		RequestThroughput: float64(w.Completed) / w.Duration,
		InputThroughput:   float64(input) / w.Duration,
		OutputThroughput:  float64(tokens.between(from, to)) / w.Duration,
		PercentilesTTFT:   [][2]float64{},
	}
	s.TotalThroughput = s.InputThroughput + s.OutputThroughput
	st := ttft.Stats(opt.Percentiles)
	s.MeanTTFT, s.MedianTTFT = st.Mean, st.Median
	for _, p := range st.Percentiles {
		s.PercentilesTTFT = append(s.PercentilesTTFT, [2]float64{p.P, p.Value})
	}
	st = tpots.Stats([]float64{90, 99})
	s.MeanTPOT, s.MedianTPOT = st.Mean, st.Median
	s.P90TPOT, s.P99TPOT = st.Percentiles[0].Value, st.Percentiles[1].Value
	return s
}

// shortWindow warns about a window below the smallest that is trusted: what was
// asked for, else ten seconds or a tenth of the run, whichever is longer.
func shortWindow(window, run, smallest float64) *string {
	if smallest <= 0 {
		smallest = max(10, run/10)
	}
	if window >= smallest {
		return nil
	}
	s := fmt.Sprintf("the steady state is short: %.1f s, %.1f %% of the run", window, window/run*100)
	return &s
}
