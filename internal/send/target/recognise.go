package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// recogniser asks one server what it is.
type recogniser struct {
	t    *Target
	ctx  context.Context
	left int // questions that may still be asked
	slow int // how many of them may still time out
	id   Identity

	models []ownedModel
	ollama bool // its root page says that it is Ollama
	smg    bool // its headers have smg's codes
	router Router
}

// ownedModel is what a list of models says of who serves one.
type ownedModel struct {
	ID      string `json:"id"`
	OwnedBy string `json:"owned_by"`
}

// probes are the questions, from cheap to dear. Each knows what it wants to hear.
var probes = []func(*recogniser){
	(*recogniser).askRouter, (*recogniser).askModels, (*recogniser).askRoot, (*recogniser).askOllama, (*recogniser).askVersion, (*recogniser).askProps,
	(*recogniser).askInfo, (*recogniser).askModelInfo, (*recogniser).askV2, (*recogniser).askLiveliness, (*recogniser).askMetrics,
}

// get asks a path and looks at the headers of any answer. ok says that it was a success.
func (r *recogniser) get(path string) (body []byte, ok bool) {
	if r.left == 0 {
		return nil, false
	}
	r.left--
	ctx, cancel := context.WithTimeout(r.ctx, probeTimeout)
	defer cancel()
	req, err := r.t.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, false
	}
	a, err := r.t.fetch(req)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		if r.slow--; r.slow <= 0 || r.ctx.Err() != nil {
			r.left = 0
		}
	case err != nil && a == nil:
		r.left = 0 // nobody is there, or nobody who speaks HTTP
	}
	if a == nil {
		return nil, false
	}
	if r.id.Gateway == "" {
		r.id.Gateway = gatewayOf(a.header)
	}
	r.smg = r.smg || a.header.Get("X-Smg-Error-Code") != ""
	if kind, version, why := kindOf(a.header); r.id.Kind == "" && kind != "" {
		r.id.Version = "" // of a path that told no kind
		r.found(kind, version, why)
	}
	return a.body, err == nil && a.status/100 == 2 && len(a.body) <= maxAnswer
}

// found says what the server is. The first word counts.
func (r *recogniser) found(kind, version, why string) {
	if r.id.Kind != "" {
		return
	}
	r.id.Kind, r.id.Why = kind, why
	if version = r.t.secrets().Word(version); version != "" {
		r.id.Version = version
	}
	if r.id.Quirks().Router != nil {
		r.id.Gateway = kind
	}
}

// object asks a path for a JSON object; nil: it is none.
func (r *recogniser) object(path string) fields {
	b, ok := r.get(path)
	if !ok {
		return nil
	}
	return readFields(b)
}

// fields are those of a JSON object, of which nothing is known.
type fields map[string]json.RawMessage

func readFields(b []byte) (f fields) {
	if json.Unmarshal(b, &f) != nil {
		return nil
	}
	return f
}

// text is a field that is a text; empty: there is none.
func (f fields) text(name string) (text string) {
	if json.Unmarshal(f[name], &text) != nil {
		return ""
	}
	return text
}

func (f fields) has(name string) bool { return len(f[name]) > 0 && string(f[name]) != "null" }

// owners are the servers by what they write as the owner of their models.
var owners = map[string]string{
	"vllm": VLLM, "llamacpp": LlamaCPP, "sglang": SGLang, "tensorrt_llm": TRTLLM, "triton inference server": TritonOpenAI,
	"infinity": Infinity, "inferometer": Inferometer,
}

const (
	saysItsModels  = "its list of models says so"
	saysItsMetrics = "its metrics say so"
)

func readModels(b []byte) []ownedModel {
	var list struct {
		Data []ownedModel `json:"data"`
	}
	_ = json.Unmarshal(b, &list) // a field of a wrong type is passed over, the others are there
	return list.Data
}

// askRouter comes first: a router passes on what a worker says of itself, and its own quirks are those that matter.
func (r *recogniser) askRouter() {
	if r.askWorkers(); r.router.Kind != "" {
		r.found(r.router.Kind, "", r.router.Why)
	}
}

// askModels asks who owns the models. Infinity has its list at the root.
func (r *recogniser) askModels() {
	b, ok := r.get("/v1/models")
	if !ok && r.id.Kind == "" {
		b, ok = r.get("/models")
	}
	if !ok || r.id.Kind != "" {
		return
	}
	r.models = readModels(b)
	for _, m := range r.models {
		if kind := owners[strings.ToLower(m.OwnedBy)]; kind != "" {
			r.found(kind, "", saysItsModels)
			return
		}
	}
}

// askRoot reads the page at the root. SGLang may be told to say what Ollama says there.
func (r *recogniser) askRoot() {
	b, _ := r.get("/")
	switch text := string(bytes.TrimSpace(b)); text {
	case "SGLang is running", `"SGLang is running"`:
		r.found(SGLang, "", "its root page says so")
	case "Ollama is running":
		r.ollama = true
	}
}

// askOllama asks for Ollama's version, where something else speaks for it: SGLang imitates
// its other paths, and more than one program has a version there.
func (r *recogniser) askOllama() {
	library := slices.ContainsFunc(r.models, func(m ownedModel) bool { return m.OwnedBy == "library" })
	if !r.ollama && !library {
		return
	}
	why := "its root page says so"
	if library {
		why = saysItsModels
	}
	switch v := r.object("/api/version").text("version"); {
	case v != "":
		r.found(Ollama, v, why+", and it has /api/version")
	case library: // a gateway may let only /v1 through; nobody else calls its models so
		r.found(Ollama, "", why)
	}
}

// askVersion notes a version, which several servers tell without their name.
func (r *recogniser) askVersion() {
	if v := r.object("/version").text("version"); v != "" && r.id.Kind == "" {
		r.id.Version = r.t.secrets().Word(v)
	}
}

func (r *recogniser) askProps() {
	if f := r.object("/props"); f.has("build_info") && f.has("total_slots") {
		r.found(LlamaCPP, f.text("build_info"), "it has llama.cpp's /props")
	}
}

// askInfo tells Hugging Face's two servers apart: the one for embeddings has a type of model.
func (r *recogniser) askInfo() {
	f := r.object("/info")
	switch {
	case f.text("model_id") == "" || f.text("version") == "":
	case f.has("model_type"):
		r.found(TEI, f.text("version"), "its /info has a model_type")
	default:
		r.found(TGI, f.text("version"), "it has TGI's /info")
	}
}

func (r *recogniser) askModelInfo() {
	for _, path := range []string{"/model_info", "/get_model_info"} { // the second is the older name
		if f := r.object(path); f.has("model_path") && f.has("is_generation") {
			r.found(SGLang, "", "it has SGLang's "+path)
			return
		}
	}
}

func (r *recogniser) askV2() {
	switch f := r.object("/v2"); {
	case f.text("name") == "triton":
		r.found(Triton, f.text("version"), "its /v2 says so")
	case f.text("name") != "" && f.has("extensions"):
		r.found(KServe, f.text("version"), "it has the /v2 of Open Inference")
	}
}

func (r *recogniser) askLiveliness() {
	if b, ok := r.get("/health/liveliness"); ok && strings.Contains(string(b), "I'm alive!") {
		r.found(LiteLLM, "", "it has LiteLLM's /health/liveliness")
	}
}

// metricNames are how the names of a server's metrics begin.
var metricNames = []struct{ prefix, kind string }{
	{"vllm:", VLLM},
	{"sglang:", SGLang},
	{"sglang_", SGLang},
	{"llamacpp:", LlamaCPP},
	{"tgi_", TGI},
	{"trtllm_", TRTLLM},
	{"nv_inference_", Triton},
	{"litellm_", LiteLLM},
	{"dynamo_frontend_", Dynamo},
	{"sim_router_", SimRouter},
}

// askMetrics comes last: metrics are long, and those of TensorRT-LLM are handed out once.
func (r *recogniser) askMetrics() {
	b, ok := r.get("/metrics")
	if !ok {
		return
	}
	kind, gateway := kindOfMetrics(b)
	if kind != "" {
		r.found(kind, "", saysItsMetrics)
	}
	if r.id.Gateway == "" {
		r.id.Gateway = gateway
	}
}

func kindOfMetrics(b []byte) (kind, gateway string) {
	if b = bytes.TrimSpace(b); bytes.HasPrefix(b, []byte("[")) && bytes.Contains(b, []byte(`"iterLatencyMS"`)) {
		return TRTLLM, ""
	}
	for line := range bytes.Lines(b) {
		name := strings.TrimSpace(string(line[:min(len(line), longestName)]))
		name = strings.TrimPrefix(strings.TrimPrefix(name, "# HELP "), "# TYPE ")
		if strings.HasPrefix(name, "llm_d_epp_") {
			gateway = "llm-d"
		}
		for _, m := range metricNames {
			if strings.HasPrefix(name, m.prefix) {
				return m.kind, gateway
			}
		}
	}
	return "", gateway
}

// longestName is how much of a line of metrics is looked at.
const longestName = 64

// findVersion asks for the version, where the server is known and has not told it yet.
func (r *recogniser) findVersion() {
	if r.id.Kind == "" || r.id.Version != "" {
		return
	}
	for _, at := range r.id.Quirks().VersionAt {
		r.left = max(r.left, 1)
		path, field, _ := strings.Cut(at, " ")
		if v := r.object(path).text(field); v != "" {
			r.id.Version = r.t.secrets().Word(v)
			return
		}
	}
}
