package measure

import (
	"fmt"
	"math"

	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/judge/sample"
)

// SteadyState are the numbers of the time in which the load was what was asked
// for: without the climb at the start and the drain at the end.
type SteadyState struct {
	Window            Window       `json:"window"`
	RequestThroughput float64      `json:"request_throughput"`
	InputThroughput   float64      `json:"input_throughput"`
	OutputThroughput  *float64     `json:"output_throughput"` // nil: the tokens of most answers were not counted by anybody
	TotalThroughput   *float64     `json:"total_token_throughput"`
	MeanTTFT          float64      `json:"mean_ttft_ms"`
	MedianTTFT        float64      `json:"median_ttft_ms"`
	PercentilesTTFT   [][2]float64 `json:"percentiles_ttft_ms"`
	MeanTPOT          float64      `json:"mean_tpot_ms"`
	MedianTPOT        float64      `json:"median_tpot_ms"`
	P90TPOT           float64      `json:"p90_tpot_ms"`
	P99TPOT           float64      `json:"p99_tpot_ms"`

	foreign int // requests sent outside the window whose latencies could not be taken out
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
	Requests      float64 `json:"requests_in_window"` // by their parts, see inWindow.requests
	RequestsTotal int     `json:"requests_total"`
	Warning       *string `json:"warning"`
}

// steadyWindow finds the first time that the number of open successes rises to
// the threshold and the last time that it falls below it. Dips between are part of it.
func steadyWindow(rows []row.Row, threshold int) (from, to int64, peak int, ok bool) {
	starts, ends := make([]int64, 0, len(rows)), make([]int64, 0, len(rows))
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

// inWindow is what the steady state is made of: requests by their parts, tokens by
// their time, latencies of the requests that were sent in it.
type inWindow struct {
	from, to           int64
	peak               int
	started, completed int
	open               float64 // nanoseconds for which successes were open in the window, added up
	inside             int     // successes that were open in the window at any time
	took               float64 // nanoseconds that these were open in all, before and after it too
	input, output      int64   // planned prompt tokens of those sent in it; tokens that arrived
	ttft, tpot         *sample.Sample
}

// requests are those in the window, each by its part: the time that it was open in
// the window, by the mean time that a request takes (Little's law): the mean of all that were
// open in it, those too that the window found open, which in a run of few waves are
// many. So there are never more than there were requests. Counting whole
// ones is wrong by up to one per slot, which is much where a run has few waves: the
// last wave ends just behind the window, and the first begins with it. A part by the
// request's own length would count long ones, which straddle the edges more often,
// for too much.
func (in *inWindow) requests() float64 {
	if in.took <= 0 {
		return 0
	}
	return in.open / (in.took / float64(in.inside))
}

// steadyState measures inside the window; nil if there is none.
func (c *collector) steadyState(r *Result) *SteadyState {
	limit := c.run.Options.MaxConcurrency
	threshold := max(1, int(math.Ceil(c.opt.SteadyThreshold*float64(limit))))
	var in *inWindow
	if c.aggregates != nil {
		in = c.aggregatesInWindow(threshold)
	} else {
		in = c.rowsInWindow(threshold)
	}
	if in == nil || in.started == 0 || in.completed == 0 {
		return nil
	}
	origin := c.totals.firstSent
	w := Window{
		Start: seconds(in.from - origin), End: seconds(in.to - origin), Duration: seconds(in.to - in.from),
		Target: limit, Threshold: c.opt.SteadyThreshold, ThresholdAbs: threshold, ObservedPeak: in.peak,
		Started: in.started, Completed: in.completed, Requests: in.requests(), RequestsTotal: r.Completed,
	}
	w.Warning = shortWindow(w.Duration, r.Duration, c.opt.SteadyMinWindow)
	s := &SteadyState{
		Window:            w,
		RequestThroughput: w.Requests / w.Duration,
		PercentilesTTFT:   [][2]float64{},
		foreign:           in.ttft.N() - in.started,
	}
	s.InputThroughput = s.RequestThroughput * float64(in.input) / float64(in.started)
	if c.rules.VLLM { // whole requests, as vLLM's Rust client counts them
		s.RequestThroughput, s.InputThroughput = float64(w.Completed)/w.Duration, float64(in.input)/w.Duration
	}
	if r.TokensInTime.Known {
		output := float64(in.output) / w.Duration
		total := s.InputThroughput + output
		s.OutputThroughput, s.TotalThroughput = &output, &total
	}
	st := in.ttft.Stats(c.opt.Percentiles)
	s.MeanTTFT, s.MedianTTFT = st.Mean, st.Median
	for _, p := range st.Percentiles {
		s.PercentilesTTFT = append(s.PercentilesTTFT, [2]float64{p.P, p.Value})
	}
	st = in.tpot.Stats([]float64{90, 99})
	s.MeanTPOT, s.MedianTPOT = st.Mean, st.Median
	s.P90TPOT, s.P99TPOT = st.Percentiles[0].Value, st.Percentiles[1].Value
	return s
}

func (c *collector) rowsInWindow(threshold int) *inWindow {
	from, to, peak, ok := steadyWindow(c.rows, threshold)
	if !ok {
		return nil
	}
	in := &inWindow{
		from: from, to: to, peak: peak, output: c.arrivals.between(from, to),
		ttft: sample.New(c.opt.ExactLimit), tpot: sample.New(c.opt.ExactLimit),
	}
	in.ttft.Reserve(len(c.rows))
	in.tpot.Reserve(len(c.rows))
	for i := range c.rows {
		row := &c.rows[i]
		if !row.OK {
			continue
		}
		end := row.Sent + max(row.Last, 0)
		if end >= from && end < to {
			in.completed++
		}
		if end > from && row.Sent < to {
			in.inside++
			in.took += float64(end - row.Sent)
			in.open += float64(min(end, to) - max(row.Sent, from))
		}
		if row.Sent < from || row.Sent >= to {
			continue
		}
		in.started++
		in.input += int64(row.Planned)
		if !row.Whole {
			in.ttft.Add(row.TTFT())
		}
		if v, ok := row.TPOT(); ok {
			in.tpot.Add(v)
		}
	}
	return in
}

// aggregatesInWindow has the latencies of all requests, and takes those out that were
// sent before the window or after it.
func (c *collector) aggregatesInWindow(threshold int) *inWindow {
	from, to, peak, ok := c.aggregates.slots.steadyWindow(threshold)
	if !ok {
		return nil
	}
	sum := c.aggregates.slots.between(from, to)
	in := &inWindow{
		// A slot may begin before the first send; the window doesn't.
		from: max(from, c.totals.firstSent), to: to, peak: peak, started: int(sum.started), completed: int(sum.ended),
		open: c.aggregates.slots.openTime(from, to), inside: int(sum.started), took: float64(sum.took) * 1e3,
		input: sum.planned, output: sum.tokens,
		ttft: c.sample("steady.ttft"), tpot: c.sample("steady.tpot"),
	}
	remove := func(r *edgeRow) {
		in.ttft.Remove(r.ttft)
		if r.hasTPOT {
			in.tpot.Remove(r.tpot)
		}
	}
	for i := range c.aggregates.first.rows {
		r := &c.aggregates.first.rows[i]
		if r.sent >= from {
			continue
		}
		remove(r)
		if r.sent+r.took > from {
			in.inside++
			in.took += float64(r.took)
		}
	}
	for i := range c.aggregates.last.rows {
		if r := &c.aggregates.last.rows[i]; r.sent >= to {
			remove(r)
		}
	}
	return in
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
	s := fmt.Sprintf("the steady state lasted %.1f s, less than the %.0f s that its numbers need", window, smallest)
	return &s
}
