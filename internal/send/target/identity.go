package target

import (
	"context"
	"net/http"
	"strings"
)

// Identity is what a server says of itself, and what we take it for.
type Identity struct {
	Kind    string // a name of the table of quirks; empty: not known
	Version string // empty: not told
	Why     string // which of its answers says so, as part of a sentence
	Gateway string // what its headers show to stand before it; empty: nothing
}

// Name is the kind with its version.
func (i Identity) Name() string { return strings.TrimSpace(i.Kind + " " + i.Version) }

// Identify asks a server what it is. It only sends GETs, cheap ones first, and ends at
// the first answer that leaves no doubt.
func (t *Target) Identify(ctx context.Context) Identity {
	ctx, cancel := context.WithTimeout(ctx, recogniseTimeout)
	defer cancel()
	r := &recogniser{t: t, ctx: ctx, left: mostProbes, slow: mostSlow}
	for _, probe := range probes {
		if probe(r); r.id.Kind != "" || r.left == 0 {
			break
		}
	}
	r.findVersion()
	return r.id
}

// gateways are what may stand before a server, by the Server header.
var gateways = []string{"istio-envoy", "envoy", "cloudflare", "nginx", "openresty", "kong", "caddy", "awselb"}

// gatewayOf is the gateway that the headers of an answer show; empty: none.
func gatewayOf(h http.Header) string {
	server := strings.ToLower(h.Get("Server"))
	for _, name := range gateways {
		if strings.HasPrefix(server, name) {
			return name
		}
	}
	if h.Get("X-Envoy-Upstream-Service-Time") != "" {
		return "envoy"
	}
	return ""
}

// kindOf is the server that the headers of an answer show without doubt. A gateway that
// hides what is behind it counts as the server: its quirks are those that matter.
func kindOf(h http.Header) (kind, version, why string) {
	switch {
	case h.Get("X-Litellm-Version") != "" || h.Get("X-Litellm-Call-Id") != "":
		return LiteLLM, h.Get("X-Litellm-Version"), "its headers x-litellm-… say so"
	case strings.HasPrefix(strings.ToLower(h.Get("Server")), "llama.cpp"):
		return LlamaCPP, "", "its header Server says so"
	case h.Get("Openai-Version") != "":
		return OpenAI, h.Get("Openai-Version"), "its header openai-version says so"
	}
	return "", "", ""
}
