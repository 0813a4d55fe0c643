package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/bench/harness"
)

// tables are the page's figures, in Markdown.
func tables(all []kept) string {
	var b strings.Builder
	machines, lowest, highest := map[string]bool{}, math.Inf(1), math.Inf(-1)
	for _, k := range all {
		machines[k.Machine] = true
		lowest, highest = min(lowest, k.Average), max(highest, k.Average)
	}
	for m := range machines {
		fmt.Fprintf(&b, "Machine: %s. ", m)
	}
	fmt.Fprintf(&b, "Load average when a run began: %.1f to %.1f.\n", lowest, highest)
	for _, l := range loads {
		oneLoad(&b, all, l.Name)
	}
	commands(&b, all)
	return b.String()
}

// excerpt is what docs/five-clients.md shows of them: one load, and the broken streams.
func excerpt(all []kept) string {
	var b strings.Builder
	oneLoad(&b, all, middle)
	oneLoad(&b, all, broken)
	return b.String()
}

// oneLoad are the tables of a load, where it was measured.
func oneLoad(b *strings.Builder, all []kept, name string) {
	at := of(all, func(k kept) bool { return k.Load.Name == name })
	switch {
	case len(at) == 0:
	case name == broken:
		breaks(b, at)
	default:
		fmt.Fprintf(b, "\n### %s: %s\n\n", strings.ToUpper(name[:1])+name[1:], at[0].Load)
		latencies(b, at)
		costs(b, all, at)
	}
}

func of(all []kept, want func(kept) bool) (some []kept) {
	for _, k := range all {
		if want(k) {
			some = append(some, k)
		}
	}
	return some
}

// names are the clients, the yardstick not among them, in the order of the code.
func names(all []kept) (found []string) {
	for _, name := range []string{"inferometer", "vLLM", "vLLM, Rust", "AIPerf", "GuideLLM"} {
		if slices.ContainsFunc(all, func(k kept) bool { return k.Client == name }) {
			found = append(found, name)
		}
	}
	return found
}

var columns = []struct {
	metric string
	p      float64
	title  string
}{
	{"ttft", 50, "TTFT p50"}, {"ttft", 99, "p99"}, {"itl", 50, "gaps p50"}, {"itl", 99, "p99"}, {"tpot", 50, "mean gap p50"}, {"tpot", 99, "p99"},
}

func latencies(b *strings.Builder, at []kept) {
	b.WriteString("Milliseconds as shown, and in brackets shown minus true; the round with the median error.\n\n| client |")
	for _, c := range columns {
		fmt.Fprintf(b, " %s |", c.title)
	}
	b.WriteString("\n|---|" + strings.Repeat("---:|", len(columns)) + "\n")
	for _, name := range names(at) {
		fmt.Fprintf(b, "| %s |", name)
		for _, c := range columns {
			fmt.Fprintf(b, " %s |", off(of(at, func(k kept) bool { return k.Client == name }), c.metric, c.p))
		}
		b.WriteString("\n")
	}
}

// off is a client's value of the round whose error is in the middle, and that error.
func off(rounds []kept, metric string, p float64) string {
	miss, shown, ok := medianRound(rounds, metric, p)
	if !ok {
		return "not shown"
	}
	return fmt.Sprintf("%.2f (%+.2f)", shown, miss)
}

// medianRound is the error of the round whose error is in the middle, and what the client showed there.
func medianRound(rounds []kept, metric string, p float64) (miss, shown float64, ok bool) {
	var found [][2]float64 // error, shown
	for _, k := range rounds {
		v, ok := k.value(metric, p)
		actual, known := k.Truth.ms(metric, p)
		if ok && known {
			found = append(found, [2]float64{v - actual, v})
		}
	}
	if len(found) == 0 {
		return 0, 0, false
	}
	slices.SortFunc(found, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	mid := found[len(found)/2]
	return mid[0], mid[1], true
}

func (k *kept) value(metric string, p float64) (float64, bool) {
	if k.Shown == nil {
		return 0, false
	}
	for _, name := range []string{fmt.Sprintf("p%g_", p), "median_"} {
		if v, ok := k.Shown.Values[name+metric+"_ms"]; ok && (p == 50 || name != "median_") {
			return v, true
		}
	}
	return 0, false
}

func costs(b *strings.Builder, all, at []kept) {
	b.WriteString("\n| client | req/s shown | by the server | share of the ideal rate | CPU per event, × bare | peak memory, MB | failed |\n|---|---:|---:|---:|---:|---:|---:|\n")
	reference := perEvent(all, at, bare)
	for _, name := range names(at) {
		var rate, real, share, peak []float64
		failed, missing := 0, 0
		for _, k := range of(at, func(k kept) bool { return k.Client == name }) {
			if k.Shown == nil {
				missing++
				continue
			}
			rate = append(rate, k.Shown.Values["request_throughput"])
			real = append(real, float64(len(k.Truth.Begun))/k.Truth.seconds())
			share = append(share, 100*k.Truth.best(k.Load.Streams)/k.Truth.seconds())
			peak = append(peak, k.Peak)
			if k.Shown.Failed != nil {
				failed += *k.Shown.Failed
			}
		}
		ratio := "unknown"
		if mine := perEvent(all, at, name); mine > 0 && reference > 0 {
			ratio = fmt.Sprintf("%.2f", mine/reference)
		}
		lost := fmt.Sprint(failed)
		if missing > 0 {
			lost += fmt.Sprintf(", and %d runs without a result", missing)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s | %s |\n", name, number(rate, "%.1f"), number(real, "%.1f"), number(share, "%.0f %%"), ratio, known(peak), lost)
	}
}

// perEvent is the CPU time of one more event in µs: what a load's runs took beyond the light load's of the
// same client and round, by the events that they had more. So what a program costs to start is not in it.
// At the light load itself there is nothing to take off, and it is not told.
func perEvent(all, at []kept, name string) float64 {
	var found []float64
	for _, k := range at {
		if k.Client != name || k.Exit != 0 {
			continue
		}
		for _, base := range all {
			if base.Client != name || base.Round != k.Round || base.Load.Name != loads[0].Name || base.Load.Name == k.Load.Name || base.Exit != 0 {
				continue
			}
			if more := k.Truth.Events - base.Truth.Events; more > 0 && k.CPU > base.CPU {
				found = append(found, (k.CPU-base.CPU)*1e6/float64(more))
			}
		}
	}
	return harness.Median(found)
}

func breaks(b *strings.Builder, at []kept) {
	fmt.Fprintf(b, "\n### A fifth of the streams broken: %s\n\n", at[0].Load)
	b.WriteString("| client | broken by the server | it says failed | broken ones among its successes | said on the console | exit code |\n|---|---:|---:|---:|---|---:|\n")
	for _, name := range names(at) {
		for _, k := range of(at, func(k kept) bool { return k.Client == name }) {
			broke := len(k.Truth.Faults)
			if k.Shown == nil {
				fmt.Fprintf(b, "| %s | %d | no result | | | %d |\n", name, broke, k.Exit)
				continue
			}
			failed := "not told"
			if k.Shown.Failed != nil {
				failed = fmt.Sprint(*k.Shown.Failed)
			}
			said := map[bool]string{true: "yes", false: "no"}[k.Shown.Told]
			fmt.Fprintf(b, "| %s | %d of %d | %s | %d | %s | %d |\n", name, broke, len(k.Truth.Begun), failed, k.miscounted(), said, k.Exit)
		}
	}
}

// miscounted is how many broken streams are among a client's successes.
func (k *kept) miscounted() int {
	return max(k.Shown.Completed-(len(k.Truth.Begun)-len(k.Truth.Faults)), 0)
}

// commands shows one command line of each client: that of the middle load, or of whatever was run.
func commands(b *strings.Builder, all []kept) {
	b.WriteString("\n### The command lines\n\n```console\n")
	for _, name := range append(names(all), bare) {
		mine := of(all, func(k kept) bool { return k.Client == name })
		if i := slices.IndexFunc(mine, func(k kept) bool { return k.Load.Name == "middle" }); i >= 0 {
			fmt.Fprintln(b, "$ "+strings.Join(mine[i].Command, " "))
		} else if len(mine) > 0 {
			fmt.Fprintln(b, "$ "+strings.Join(mine[0].Command, " "))
		}
	}
	b.WriteString("```\n")
}

func number(v []float64, format string) string {
	if len(v) == 0 {
		return "unknown"
	}
	return fmt.Sprintf(format, harness.Median(v))
}

// known is a median that is unknown where the system told nothing.
func known(v []float64) string {
	if harness.Median(v) == 0 {
		return "unknown"
	}
	return number(v, "%.0f")
}
