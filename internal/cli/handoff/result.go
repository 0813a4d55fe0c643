package handoff

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/judge/handoff"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/show/number"
	"github.com/inferometer/inferometer/internal/show/table"
	"github.com/inferometer/inferometer/internal/stats"
)

// write prints the answer and writes the files; nothing where nothing was measured.
func (r *runner) write(file string, typed []string) error {
	if len(r.groups) == 0 {
		return nil
	}
	split := handoff.Of(r.groups)
	result := r.object(split, typed)
	for _, path := range []string{file, r.JSON} {
		if path == "" {
			continue
		}
		if err := serve.WriteJSONFile(path, func(w io.Writer) error { return pyjson.WriteIndent(w, result, 4) }); err != nil {
			return err
		}
	}
	var b strings.Builder
	r.console(&b, split, command.TerminalWidth(r.streams.Out))
	_, err := io.WriteString(r.streams.Out, b.String())
	return err
}

func (r *runner) console(b *strings.Builder, s *handoff.Split, width int) {
	console := &table.Console{Width: width}
	r.answer(b, s)
	t := &table.Table{Columns: slices.Concat(
		table.Numbers(number.Count, "prompt tokens", "pairs"), table.Numbers(number.Millis, "prefill alone", "through router", "difference"), table.Words("95 %, in ms"),
	)}
	for _, l := range s.Lengths {
		t.Add(l.Tokens, l.Pairs, 1e3*l.Alone, 1e3*l.Through, 1e3*l.Difference.Value, number.Interval(1e3*l.Difference.Low, 1e3*l.Difference.High, number.Millis))
	}
	console.Write(b, t)
	b.WriteByte('\n')
	facts := &table.Table{}
	if s.Known {
		facts.Fact("Fixed part", fmt.Sprintf("%s ms %s: router, admission and first step of the decode server, and what of the transfer has no length", number.Millis(1e3*s.Fixed.Value),
			number.Interval(1e3*s.Fixed.Low, 1e3*s.Fixed.High, number.Millis)))
	}
	r.ownFacts(facts, s)
	if g, ok := handoff.SecondGapOf(r.gaps); ok {
		facts.Fact("Second-token gap", fmt.Sprintf("%s ms, %s ms against later gaps: the decode server's scheduling, not the handoff", number.Millis(1e3*g.Median), signed(1e3*g.Excess)))
	}
	if q, ok := handoff.BurstsOf(r.quiet, r.burst); ok {
		facts.Fact("Gaps between tokens", fmt.Sprintf("p99 %s ms beside %d prompts of %d tokens, %s ms quiet: %s times as long", number.Millis(1e3*q.BurstP99), r.Bursts, r.lengths[len(r.lengths)-1],
			number.Millis(1e3*q.QuietP99), number.Fixed(q.BurstP99/q.QuietP99, 2)))
	}
	console.Write(b, facts)
}

// answer is the first line.
func (r *runner) answer(b *strings.Builder, s *handoff.Split) {
	longest := s.Lengths[len(s.Lengths)-1]
	switch bandwidth, ok := s.Bandwidth(r.bytes); {
	case !s.Known:
		fmt.Fprintf(b, "The way through the router takes %s ms longer than prefill alone. Several lengths are needed to tell the transfer from the rest.\n\n", number.Millis(1e3*longest.Difference.Value))
	case !(s.PerToken.Low > 0):
		fmt.Fprintf(b, "No transfer can be seen: the difference does not grow with the prompt beyond its noise (%s µs a token %s).\n\n",
			number.Short(1e6*s.PerToken.Value), number.Interval(1e6*s.PerToken.Low, 1e6*s.PerToken.High, number.Short))
	default:
		transfer := s.Transfer(longest.Tokens)
		fmt.Fprintf(b, "Of the first token of %d prompt tokens (%s ms) the transfer takes %s ms %s: %s µs a token",
			longest.Tokens, number.Millis(1e3*longest.Through), number.Millis(1e3*transfer.Value), number.Interval(1e3*transfer.Low, 1e3*transfer.High, number.Millis), number.Short(1e6*s.PerToken.Value))
		if ok {
			fmt.Fprintf(b, ", %s/s %s with %s bytes a token (%s)", number.Bytes(bandwidth.Value), number.Interval(bandwidth.Low, bandwidth.High, number.Bytes), number.Count(r.bytes), r.bytesBy)
		}
		b.WriteString(".\n\n")
	}
}

// ownFacts are what the server says of its parts, beside what we see.
func (r *runner) ownFacts(facts *table.Table, s *handoff.Split) {
	last := r.own[len(r.own)-1]
	if len(last.transfer) == 0 {
		return
	}
	l := s.Lengths[len(s.Lengths)-1]
	facts.Fact("By the server itself", fmt.Sprintf("at %d tokens: %s ms until the prefill began, %s ms prefill, %s ms from there to the first decoded token; we see a difference of %s ms",
		l.Tokens, number.Millis(1e3*median(last.queue)), number.Millis(1e3*median(last.prefill)), number.Millis(1e3*median(last.transfer)), number.Millis(1e3*l.Difference.Value)))
}

func signed(v float64) string {
	if v < 0 {
		return "−" + number.Millis(-v)
	}
	return "+" + number.Millis(v)
}

func median(v []float64) float64 { return stats.Median(slices.Sorted(slices.Values(v))) }

func (r *runner) object(s *handoff.Split, typed []string) ordered.Object {
	var o ordered.Object
	o.Set("command", typed)
	lengths := []any{}
	for i, l := range s.Lengths {
		var one ordered.Object
		one.Set("prompt_tokens", l.Tokens)
		one.Set("alone_s", l.Alone)
		one.Set("through_s", l.Through)
		setEstimate(&one, "difference_s", l.Difference)
		var alone, through []float64
		for _, sample := range r.groups[i] {
			alone, through = append(alone, sample.Alone), append(through, sample.Through)
		}
		one.Set("alone_samples_s", alone)
		one.Set("through_samples_s", through)
		if own := r.own[i]; len(own.transfer) > 0 {
			one.Set("server_queue_s", median(own.queue))
			one.Set("server_prefill_s", median(own.prefill))
			one.Set("server_transfer_s", median(own.transfer))
		}
		lengths = append(lengths, one)
	}
	o.Set("lengths", lengths)
	if s.Known {
		setEstimate(&o, "transfer_per_token_s", s.PerToken)
		setEstimate(&o, "fixed_s", s.Fixed)
	}
	if r.bytes > 0 {
		o.Set("kv_bytes_per_token", r.bytes)
		o.Set("kv_bytes_by", r.bytesBy)
		if bandwidth, ok := s.Bandwidth(r.bytes); ok {
			setEstimate(&o, "bandwidth_bytes_per_s", bandwidth)
		}
	}
	if g, ok := handoff.SecondGapOf(r.gaps); ok {
		var gap ordered.Object
		gap.Set("median_s", g.Median)
		gap.Set("excess_s", g.Excess)
		gap.Set("answers", g.Answers)
		o.Set("second_token_gap", gap)
	}
	if q, ok := handoff.BurstsOf(r.quiet, r.burst); ok {
		var gaps ordered.Object
		gaps.Set("quiet_p50_s", q.QuietP50)
		gaps.Set("quiet_p99_s", q.QuietP99)
		gaps.Set("burst_p50_s", q.BurstP50)
		gaps.Set("burst_p99_s", q.BurstP99)
		o.Set("itl", gaps)
	}
	var whole, ours ordered.Object
	ours.Set("handoff", o)
	whole.Set("inferometer", ours)
	return whole
}

// setEstimate sets a number and its 95 % interval.
func setEstimate(o *ordered.Object, key string, e handoff.Estimate) {
	o.Set(key, e.Value)
	o.Set(key+"_ci95", []float64{e.Low, e.High})
}
