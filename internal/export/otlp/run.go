package otlp

import (
	"cmp"
	"net/url"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/row"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/wire"
)

// run is what all spans of a run share, from its journal's first line.
type run struct {
	name      string
	start     int64 // Unix, nanoseconds
	trace     wire.Trace
	rules     row.Rules
	operation string
	provider  string
	model     string
	backend   string
	stream    bool
	servers   [][]attribute // address and port of each target
}

func newRun(folder string, first *journal.Run) *run {
	o := &first.Options
	r := &run{
		name: outside.Word(filepath.Base(folder)), start: first.StartUnixNs, rules: row.NewRules(o, o.Compat),
		operation: operation(o), provider: provider(o.Backend), model: outside.Word(o.SentModel), backend: o.Backend, stream: !o.Whole(),
	}
	if r.trace, _ = wire.ParseTrace(first.Trace); r.trace.IsZero() {
		r.trace = wire.RandomTrace() // of a run whose requests carried none
	}
	for _, t := range first.Targets {
		r.servers = append(r.servers, server(t.URL))
	}
	if len(r.servers) == 0 {
		r.servers = append(r.servers, server(o.BaseURL))
	}
	return r
}

// operation is what a request asks for, in the conventions' words where they have one, by
// the path that it goes to.
func operation(o *journal.Options) string {
	last := path.Base(o.Endpoint)
	switch {
	case strings.HasSuffix(o.Endpoint, "/chat/completions"), last == "messages", last == "responses", last == "chat":
		return "chat"
	case last == "embeddings", last == "pooling":
		return "embeddings"
	case o.Pooling, last == "transcriptions", last == "translations":
		return outside.Word(last) // rerank, transcriptions: the conventions have no word
	}
	return "text_completion"
}

// provider is the conventions' name where they have one; else the backend's own, as they allow.
func provider(backend string) string {
	switch backend {
	case "openai", "openai-chat", "openai-responses":
		return "openai"
	case "anthropic", "anthropic-messages":
		return "anthropic"
	}
	return outside.Word(backend)
}

func server(base string) []attribute {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	port, _ := strconv.ParseInt(u.Port(), 10, 32)
	if port == 0 {
		if port = 80; u.Scheme == "https" {
			port = 443
		}
	}
	return []attribute{text("server.address", u.Hostname()), whole("server.port", port)}
}

// shared are attributes that spans and metrics both have. adapter is the model that was
// asked for in place of the run's; empty: none.
func (r *run) shared(adapter string) []attribute {
	list := []attribute{text("gen_ai.operation.name", r.operation), text("gen_ai.provider.name", r.provider)}
	if model := cmp.Or(adapter, r.model); model != "" {
		list = append(list, text("gen_ai.request.model", model))
	}
	return list
}
