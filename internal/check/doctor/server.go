package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/target"
)

func identity(f *facts) result {
	var parts []string
	add := func(format, value string) {
		if value != "" {
			parts = append(parts, fmt.Sprintf(format, value))
		}
	}
	id := f.identity
	add("%s", id.Name())
	add("Server: %s", f.answer.header.Get("Server"))
	if len(f.models) > 0 {
		add("owned_by %s", f.models[0].OwnedBy)
	}
	if id.Gateway != id.Kind {
		add("behind %s", id.Gateway)
	}
	if best := f.bestBackend(); id.Kind != "" && best != "" {
		parts[len(parts)-1] += fmt.Sprintf("; %s; --backend auto takes %s", id.Why, best)
	}
	if words := routerWords(f); words != "" {
		parts = append(parts, words)
	}
	switch {
	case len(parts) == 0:
		return unknown(errors.New("it does not say what it is"))
	case id.Kind == "" || id.Version == "":
		return found(Note, "%s; kind or version are not told", strings.Join(parts, ", "))
	}
	return found(OK, "%s", strings.Join(parts, ", "))
}

// routerWords say what a router lets us know of the servers behind it; empty: it is none.
func routerWords(f *facts) string {
	if f.router.Kind == "" {
		return ""
	}
	q := f.router.Quirks()
	words := fmt.Sprintf("a router before %d servers", len(f.router.Behind))
	switch {
	case len(f.router.Behind) == 0:
		words = "a router, which names no server behind it: give them with --replica"
	case len(f.router.Behind) == 1:
		words = "a router before 1 server"
	}
	switch q.Metrics {
	case journal.WorkerMetrics:
		words += "; its /metrics is that of one of them, a run reads those of each"
	case journal.NoMetrics:
		words += "; it has no /metrics of its own at this address, a run reads those of its servers"
	}
	if q.Where != "" {
		words += "; its own counters are at " + q.Where + ", for --metrics-url"
	}
	if q.Unknown != "" {
		words += "; not to be known: " + q.Unknown
	}
	return words
}

// bestBackend is the one that auto would take; empty: none, or nobody asks.
func (f *facts) bestBackend() string {
	if f.Best == nil {
		return ""
	}
	name, err := f.Best(f.identity)
	if err != nil {
		return ""
	}
	return name
}

// fewNames is how many models are named.
const fewNames = 5

func model(f *facts) result {
	if f.noModels != nil {
		return found(Warn, "they can't be listed: %v", f.noModels).mendBy("give the name with --model, and check the API key and --base-url")
	}
	if len(f.models) == 0 {
		return found(Warn, "it lists none").mendBy("give the name with --model")
	}
	var names []string
	for _, m := range f.models {
		names = append(names, m.ID)
	}
	asked := f.models[0]
	if f.Model != "" {
		i := slices.IndexFunc(f.models, func(m target.Model) bool { return m.ID == f.Model })
		if i < 0 {
			return found(Bad, "%s is not there; it has %s", f.Model, listed(names)).mendBy("--model %s", names[0])
		}
		asked = f.models[i]
	}
	context := "longest context not told"
	if n := asked.Context(); n > 0 {
		context = fmt.Sprintf("%d tokens at most", n)
	}
	return found(OK, "%s, %s; %d listed", asked.ID, context, len(names))
}

func listed(names []string) string {
	if more := len(names) - fewNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:fewNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

func streamWorks(f *facts) result {
	if len(f.probes) == 0 {
		return unknown(errors.New("no probe was sent"))
	}
	p := f.probes[0]
	if words := p.trouble(); words != "" {
		return found(Bad, "%s", words)
	}
	times := p.times()
	if len(times) == 0 {
		return found(Bad, "the stream ended in good order without a token")
	}
	ended := p.Trace.FinishReason
	if ended == "" {
		ended = "not told"
	}
	return found(OK, "first token after %s, last after %s, finish reason %s",
		ms(time.Duration(times[0]-p.sent)), ms(time.Duration(times[len(times)-1]-p.sent)), ended)
}

func length(f *facts) result {
	t := &f.probes[0].Trace
	if !t.HasUsage {
		return unknown(errors.New("the server does not count its tokens"))
	}
	figure := fmt.Sprintf("%d tokens of %d asked for", t.Usage.Output, probeTokens)
	switch {
	case t.Usage.Output > probeTokens:
		return found(Bad, "%s: max_tokens is not kept", figure).mendBy("use a server that keeps max_tokens")
	case f.noIgnoreEOS != "":
		return found(Warn, "%s; ignore_eos is refused: %s", figure, f.noIgnoreEOS)
	case t.Usage.Output < probeTokens:
		return found(Warn, "%s: ignore_eos is not kept", figure)
	}
	return found(OK, "%s", figure)
}

func usage(f *facts) result {
	t := &f.probes[0].Trace
	if !t.HasUsage {
		return found(Warn, "none")
	}
	return found(OK, "%d prompt tokens, %d answered, %d from the cache", t.Usage.Prompt, t.Usage.Output, t.Usage.Cached)
}

// severalTokens: fewer may be tokens that are only a part of a letter, and come
// with the next.
const severalTokens = 1.5

func chunks(f *facts) result {
	p := f.probes[0]
	events := len(p.times())
	if !p.Trace.HasUsage || events == 0 {
		return unknown(errors.New("the server does not count its tokens"))
	}
	per := float64(p.Trace.Usage.Output) / float64(events)
	level := OK
	if per > severalTokens {
		level = Note
	}
	return found(level, "%.1f tokens an event (%d in %d)", per, p.Trace.Usage.Output, events)
}

func serverMetrics(f *facts) result {
	switch {
	case f.noMetric != nil:
		return found(Note, "%v", f.noMetric)
	case f.metrics == 0:
		return found(Note, "/metrics answers, without a line that can be read")
	}
	return found(OK, "%d lines at /metrics", f.metrics)
}
