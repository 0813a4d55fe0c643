// Package served has the words for what servers say of a run, for the console, Markdown and
// the page. It computes nothing: all numbers are serving's.
package served

import (
	"fmt"
	"math"
	"strconv"

	"github.com/inferometer/inferometer/internal/judge/serving"
)

// Line is one thing that a server says.
type Line struct{ What, Text string }

// Lines are what is known of a server beside its times.
func Lines(s *serving.Server) (lines []Line) {
	add := func(what, text string) {
		if text != "" {
			lines = append(lines, Line{what, text})
		}
	}
	add("Running requests", amount(s.Running))
	add("Waiting requests", queue(s.Waiting))
	add("Swapped requests", amount(s.Swapped))
	add("Requests in flight", amount(s.InFlight))
	add("KV cache in use", share(s.CacheUse))
	add("Prefix cache hit rate", percent(s.PrefixHitRate))
	add("Preemptions", whole(s.Preemptions))
	add("Requests", counted(s.Requests))
	add("Requests aborted", some(s.Aborted))
	add("Requests failed", some(s.Failed))
	add("Prompt tokens", counted(s.PromptTokens))
	add("Prompt tokens computed", whole(s.ComputedTokens))
	add("Generated tokens", counted(s.GeneratedTokens))
	add("Batch", batch(s))
	add("Time on prompts, all requests", seconds(s.PrefillSeconds))
	add("Time on answers, all requests", seconds(s.DecodeSeconds))
	add("Time in the queue, all requests", seconds(s.QueueSeconds))
	add("Speculative decoding", drafts(s.SpecDecode))
	return lines
}

// Short are the lines for a console: what needs no second look there is left out.
func Short(s *serving.Server) (lines []Line) {
	for _, l := range Lines(s) {
		switch l.What {
		case "Batch", "Prompt tokens computed", "Time on prompts, all requests", "Time on answers, all requests", "Time in the queue, all requests":
		case "Speculative decoding": // stands in vLLM's block
		default:
			lines = append(lines, l)
		}
	}
	return lines
}

// Times is one of the server's own histograms; in milliseconds.
type Times struct {
	What string
	*serving.Times
}

// Histograms are those that the server has.
func Histograms(s *serving.Server) (list []Times) {
	for _, t := range []Times{
		{"TTFT", s.TTFT}, {"Queue", s.Queue}, {"Prefill", s.Prefill}, {"Decode", s.Decode}, {"In the batch", s.Inference}, {"ITL", s.ITL}, {"E2EL", s.E2E},
	} {
		if t.Times != nil {
			list = append(list, t)
		}
	}
	return list
}

// Bounds is a percentile with the bounds that it lies between, in milliseconds.
func Bounds(q *serving.Quantile) string {
	switch {
	case q == nil:
		return "–"
	case q.Value == nil || q.High == nil:
		return "> " + number(q.Low)
	}
	if q.Low <= 0 { // in the first bucket anything is possible: half way through it would be a guess
		return "≤ " + number(*q.High)
	}
	return fmt.Sprintf("≈ %s (%s to %s)", number(*q.Value), number(q.Low), number(*q.High))
}

// Between are the bounds of a percentile alone, for a console: in ASCII.
func Between(q *serving.Quantile) string {
	switch {
	case q == nil:
		return "n/a"
	case q.Value == nil || q.High == nil:
		return "> " + number(q.Low)
	case q.Low <= 0:
		return "<= " + number(*q.High)
	}
	return number(q.Low) + "-" + number(*q.High)
}

func amount(l *serving.Level) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("mean %s, max %s", number(l.Mean), number(l.Max))
}

func queue(l *serving.Level) string {
	switch {
	case l == nil:
		return ""
	case l.Above == 0:
		return amount(l)
	}
	return fmt.Sprintf("%s, a queue %s of the time", amount(l), percent(&l.Above))
}

func share(l *serving.Level) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("mean %s, max %s", percent(&l.Mean), percent(&l.Max))
}

func percent(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v*100) + " %"
}

func whole(v *float64) string {
	if v == nil {
		return ""
	}
	return fmt.Sprintf("%.0f", *v)
}

// some is what is worth a line only where there is any.
func some(v *float64) string {
	if v == nil || *v == 0 {
		return ""
	}
	return whole(v)
}

func seconds(v *float64) string {
	if v == nil {
		return ""
	}
	return number(*v) + " s"
}

// counted is the server's number beside ours.
func counted(c *serving.Counted) string {
	if c == nil {
		return ""
	}
	text := fmt.Sprintf("%.0f", c.Server)
	if c.PerSecond != nil {
		text += fmt.Sprintf(", %s/s under load", number(*c.PerSecond))
	}
	if c.Ours == nil || c.Difference == nil {
		return text
	}
	ours := fmt.Sprintf("%.0f", *c.Ours)
	if c.OursMost != nil {
		ours += fmt.Sprintf(" to %.0f", *c.OursMost)
	}
	switch d := *c.Difference; {
	case d > 0:
		return fmt.Sprintf("%s; ours %s: %.0f more", text, ours, d)
	case d < 0:
		return fmt.Sprintf("%s; ours %s: %.0f fewer", text, ours, -d)
	case c.OursMost != nil:
		return text + "; ours " + ours
	}
	return text + "; ours the same"
}

func batch(s *serving.Server) string {
	switch {
	case s.Steps == nil:
		return ""
	case s.StepTokens == nil:
		return whole(s.Steps) + " steps"
	}
	return fmt.Sprintf("%s steps of %s tokens in the mean", whole(s.Steps), number(*s.StepTokens))
}

func drafts(d *serving.SpecDecode) string {
	if d == nil {
		return ""
	}
	text := fmt.Sprintf("%s of %.0f drafted tokens accepted", percent(&d.Rate), d.DraftTokens)
	if d.Length != nil {
		text += fmt.Sprintf(", %s tokens per step", number(*d.Length))
	}
	if d.DraftLength != nil && d.Efficiency != nil {
		text += fmt.Sprintf(": %s of what drafts of %s can give", percent(d.Efficiency), number(*d.DraftLength))
	}
	return text
}

// number has three digits or all before the point.
func number(v float64) string {
	digits := 0
	switch a := math.Abs(v); {
	case a == math.Trunc(a):
	case a < 9.995:
		digits = 2
	case a < 99.95:
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}
