package target

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/exposition"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// Router is a router at an address, and the servers that it names.
type Router struct {
	Kind   string // of the table of quirks; empty: none was recognised
	Why    string // as part of a sentence
	Behind []journal.Replica
}

// Quirks are what is known of a router; of one that is none there is nothing.
func (r *Router) Quirks() RouterQuirks {
	if q := (Identity{Kind: r.Kind}).Quirks().Router; q != nil {
		return *q
	}
	return RouterQuirks{}
}

// Router asks whether a router is at the address, and which servers it sends requests to. Most servers are asked two
// questions, which cost them nothing. What it names is only read here: see Reachable.
func (t *Target) Router(ctx context.Context) Router {
	ctx, cancel := context.WithTimeout(ctx, recogniseTimeout)
	defer cancel()
	r := &recogniser{t: t, ctx: ctx, left: mostProbes, slow: mostSlow}
	r.askWorkers()
	if r.router.Kind == "" {
		r.askRouterMetrics()
	}
	if r.router.Kind == "" && r.id.Kind != LiteLLM {
		r.askLiveliness()
	}
	if r.router.Kind == "" && r.id.Kind == LiteLLM {
		r.router = Router{Kind: LiteLLM, Why: r.id.Why}
	}
	r.listBehind()
	return r.router
}

// worker is an entry of a router's list, of vllm-router, sglang-router, smg and our own.
type worker struct {
	ID      string          `json:"id"`
	URL     string          `json:"url"`
	Type    string          `json:"worker_type"`
	Role    string          `json:"role"`
	Runtime json.RawMessage `json:"runtime_type"`
	Mode    json.RawMessage `json:"connection_mode"`
}

// askWorkers asks for the list that the Rust routers and our own have at one path. They passed on what a worker says at
// most other paths, so that this question comes first.
func (r *recogniser) askWorkers() {
	b, ok := r.get("/workers")
	if !ok {
		if bytes.Contains(b, []byte("Route not found: GET /workers")) {
			r.router = Router{Kind: Dynamo, Why: "its answer to a path that it does not have says so"}
		}
		return
	}
	var list struct {
		Workers []worker        `json:"workers"`
		Stats   json.RawMessage `json:"stats"`
	}
	if json.Unmarshal(b, &list) != nil || list.Workers == nil || list.Stats == nil && len(list.Workers) == 0 {
		return
	}
	first := worker{}
	if len(list.Workers) > 0 {
		if first = list.Workers[0]; first.URL == "" {
			return
		}
	}
	kind := VLLMRouter
	switch {
	case list.Stats == nil:
		kind = SimRouter
	case first.Runtime != nil || r.smg:
		kind = SMG
	case first.ID != "":
		kind = SGLangRouter
	}
	r.router = Router{Kind: kind, Why: "it has " + kind + "'s /workers"}
	for _, w := range list.Workers {
		r.behind(w.URL, w.URL, cmp.Or(w.Role, w.Type))
	}
}

// askRouterMetrics looks at what its metrics are called. TensorRT-LLM hands out what lies at the usual path once, and is no router.
func (r *recogniser) askRouterMetrics() {
	if r.t.Kind == TRTLLM {
		return
	}
	b, ok := r.get("/metrics")
	if !ok {
		return
	}
	servers := map[string]bool{}
	for _, m := range exposition.Parse(b).Samples {
		switch {
		case strings.HasPrefix(m.Name, "dynamo_frontend_"):
			r.router = Router{Kind: Dynamo, Why: saysItsMetrics}
		case strings.HasPrefix(m.Name, "llm_d_epp_"), strings.HasPrefix(m.Name, "inference_extension_"), strings.HasPrefix(m.Name, "inference_pool_"):
			r.router = Router{Kind: LLMD, Why: saysItsMetrics}
		case strings.HasPrefix(m.Name, "sim_router_"):
			r.router = Router{Kind: SimRouter, Why: saysItsMetrics}
		case strings.HasPrefix(m.Name, "litellm_"):
			r.router = Router{Kind: LiteLLM, Why: saysItsMetrics}
		case strings.HasPrefix(m.Name, "vllm:") && m.Label("server") != "" && m.Label("engine") == "":
			servers[m.Label("server")] = true
			continue
		default:
			continue
		}
		return
	}
	if len(servers) > 0 {
		r.router = Router{Kind: ProductionStack, Why: "its metrics have a label for each server"}
	}
	for address := range servers {
		r.behind(address, address, "")
	}
}

// listBehind asks those that have their list elsewhere.
func (r *recogniser) listBehind() {
	switch r.router.Kind {
	case Dynamo:
		r.listDynamo()
	case LiteLLM:
		r.listLiteLLM()
	}
	slices.SortFunc(r.router.Behind, func(a, b journal.Replica) int { // a router's own order changes from one question to the next
		return cmp.Or(cmp.Compare(a.URL, b.URL), cmp.Compare(a.Name, b.Name))
	})
}

// listDynamo reads the instances that its frontend knows. They speak no HTTP.
func (r *recogniser) listDynamo() {
	b, _ := r.get("/health")
	var health struct {
		Instances []struct {
			Component string      `json:"component"`
			Endpoint  string      `json:"endpoint"`
			ID        json.Number `json:"instance_id"`
		} `json:"instances"`
	}
	if json.Unmarshal(b, &health) != nil {
		return
	}
	apart := false
	for _, i := range health.Instances {
		apart = apart || i.Endpoint == "generate" && i.Component == "prefill"
	}
	for _, i := range health.Instances {
		switch {
		case i.Endpoint != "generate":
		case i.Component == "prefill":
			r.behind(i.ID.String(), "", "prefill")
		case apart:
			r.behind(i.ID.String(), "", "decode")
		default:
			r.behind(i.ID.String(), "", "")
		}
	}
}

// listLiteLLM reads the deployments of a model.
func (r *recogniser) listLiteLLM() {
	b, ok := r.get("/model/info")
	var info struct {
		Data []struct {
			Params struct {
				Base string `json:"api_base"`
			} `json:"litellm_params"`
		} `json:"data"`
	}
	if !ok || json.Unmarshal(b, &info) != nil {
		return
	}
	for _, d := range info.Data {
		if d.Params.Base != "" {
			r.behind(d.Params.Base, strings.TrimSuffix(strings.TrimRight(d.Params.Base, "/"), "/v1"), "")
		}
	}
}

// mostBehind bounds what a router may name.
const mostBehind = 256

// behind notes a server that a router names, once. What is no address of a server is no place to ask.
func (r *recogniser) behind(name, address, role string) {
	one := journal.Replica{Name: r.t.secrets().Word(name), Found: r.router.Quirks().Workers}
	switch role {
	case "prefill":
		one.Role = journal.Prefill
	case "decode":
		one.Role = journal.Decode
	}
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil {
		u.RawQuery, u.Fragment = "", ""
		one.URL = strings.TrimRight(outside.Word(u.String()), "/")
	}
	if one.Name == "" || len(r.router.Behind) >= mostBehind ||
		slices.ContainsFunc(r.router.Behind, func(o journal.Replica) bool { return o.Name == one.Name }) {
		return
	}
	r.router.Behind = append(r.router.Behind, one)
}

// Reachable says why an address that the router at base names is not asked for metrics; empty: it is. A router's own
// loopback is not ours, and one that names a link-local address may want us to read what only this machine can.
func Reachable(base, address string) string {
	from, err := url.Parse(base)
	to, err2 := url.Parse(address)
	if err != nil || err2 != nil || to.Hostname() == "" {
		return "it has no address over HTTP"
	}
	if strings.EqualFold(from.Hostname(), to.Hostname()) {
		return ""
	}
	ip, err := netip.ParseAddr(to.Hostname())
	switch {
	case outside.Loopback(to.Hostname()) && !outside.Loopback(from.Hostname()):
		return "it is the router's own loopback"
	case err == nil && (ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified()):
		return "it is no address of a server"
	}
	return ""
}

// Says are the headers of an answer that costs the server nothing; none where it gives none.
func (t *Target) Says(ctx context.Context) http.Header {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	req, err := t.request(ctx, http.MethodGet, "/v1/models", nil)
	if err != nil {
		return http.Header{}
	}
	a, err := t.fetch(req)
	if err != nil {
		return http.Header{}
	}
	return a.header
}
