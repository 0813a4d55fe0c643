package target

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
)

// fakeServer answers GETs as a real server's documents, or its own answers, say. All else is a 404.
type fakeServer struct {
	header map[string]string // on every answer
	paths  map[string]string

	mu    sync.Mutex
	asked []string
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, r.Method+" "+r.URL.Path)
	f.mu.Unlock()
	for name, value := range f.header {
		w.Header().Set(name, value)
	}
	body, ok := f.paths[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, body)
}

func identify(t *testing.T, h http.Handler) Identity {
	t.Helper()
	srv := httptest.NewServer(h)
	defer srv.Close()
	return (&Target{Base: srv.URL, Client: srv.Client()}).Identify(context.Background())
}

// modelsOf is a list of models as OpenAI has it.
func modelsOf(id, owner string) string {
	return `{"object":"list","data":[{"id":"` + id + `","object":"model","created":1,"owned_by":"` + owner + `"}]}`
}

func TestIdentify(t *testing.T) {
	for name, c := range map[string]struct {
		header map[string]string
		paths  map[string]string
		want   Identity
		most   int // requests
	}{
		"vLLM": {
			map[string]string{"Server": "uvicorn"},
			map[string]string{"/v1/models": modelsOf("m", "vllm"), "/version": `{"version":"0.32.0"}`, "/metrics": "vllm:num_requests_running 0\n"},
			Identity{Kind: VLLM, Version: "0.32.0", Why: saysItsModels},
			2,
		},
		"vLLM behind llm-d": {
			map[string]string{"Server": "istio-envoy", "X-Envoy-Upstream-Service-Time": "3"},
			map[string]string{"/v1/models": modelsOf("m", "vllm")},
			Identity{Kind: VLLM, Why: saysItsModels, Gateway: "istio-envoy"},
			2,
		},
		"vLLM with another owner": {
			map[string]string{"Server": "uvicorn"},
			map[string]string{"/v1/models": modelsOf("m", "us"), "/version": `{"version":"0.32.0"}`, "/metrics": "# HELP python_gc x\n# HELP vllm:num_requests_running x\n"},
			Identity{Kind: VLLM, Version: "0.32.0", Why: "its metrics say so"},
			mostProbes,
		},
		"SGLang": {
			map[string]string{"Server": "uvicorn"},
			map[string]string{
				"/v1/models": modelsOf("m", "sglang"), "/server_info": `{"version":"0.5.3","model_path":"m","tp_size":1}`,
				"/": "Ollama is running", "/api/tags": `{"models":[]}`,
			},
			Identity{Kind: SGLang, Version: "0.5.3", Why: saysItsModels},
			2,
		},
		"an old SGLang": {
			nil,
			map[string]string{"/v1/models": modelsOf("m", "sglang"), "/get_server_info": `{"version":"0.4.1"}`},
			Identity{Kind: SGLang, Version: "0.4.1", Why: saysItsModels},
			3,
		},
		"SGLang that imitates Ollama, with an owner of its own": {
			nil,
			map[string]string{
				"/v1/models": modelsOf("m", "us"), "/": "Ollama is running", "/api/tags": `{"models":[]}`,
				"/model_info": `{"model_path":"m","tokenizer_path":"m","is_generation":true}`, "/server_info": `{"version":"0.5.3"}`,
			},
			Identity{Kind: SGLang, Version: "0.5.3", Why: "it has SGLang's /model_info"},
			mostProbes,
		},
		"SGLang by its root page": {
			nil,
			map[string]string{"/": "SGLang is running"},
			Identity{Kind: SGLang, Why: "its root page says so"},
			5,
		},
		"llama.cpp": {
			map[string]string{"Server": "llama.cpp"},
			map[string]string{"/v1/models": modelsOf("m.gguf", "llamacpp"), "/props": `{"build_info":"b10586-b21e4de","total_slots":4}`},
			Identity{Kind: LlamaCPP, Version: "b10586-b21e4de", Why: "its header Server says so"},
			2,
		},
		"llama.cpp with a key that is not ours": {
			map[string]string{"Server": "llama.cpp"},
			nil,
			Identity{Kind: LlamaCPP, Why: "its header Server says so"},
			2,
		},
		"llama.cpp behind nginx, as another owner": {
			map[string]string{"Server": "nginx/1.27"},
			map[string]string{"/v1/models": modelsOf("m", "us"), "/props": `{"build_info":"b9","total_slots":4}`},
			Identity{Kind: LlamaCPP, Version: "b9", Why: "it has llama.cpp's /props", Gateway: "nginx"},
			mostProbes,
		},
		"Ollama": {
			nil,
			map[string]string{"/v1/models": modelsOf("smollm2:latest", "library"), "/": "Ollama is running", "/api/version": `{"version":"0.17.4"}`},
			Identity{Kind: Ollama, Version: "0.17.4", Why: saysItsModels + ", and it has /api/version"},
			3,
		},
		"Ollama with a model of a user's": {
			nil,
			map[string]string{"/v1/models": modelsOf("me/m:latest", "me"), "/": "Ollama is running", "/api/version": `{"version":"0.17.4"}`},
			Identity{Kind: Ollama, Version: "0.17.4", Why: "its root page says so, and it has /api/version"},
			3,
		},
		"TGI": {
			nil,
			map[string]string{
				"/v1/models": modelsOf("org/model", "org/model"),
				"/info":      `{"model_id":"org/model","router":"text-generation-router","version":"3.3.7","max_total_tokens":4096}`, "/metrics": "tgi_queue_size 0\n",
			},
			Identity{Kind: TGI, Version: "3.3.7", Why: "it has TGI's /info"},
			mostProbes,
		},
		"TEI": {
			nil,
			map[string]string{"/info": `{"model_id":"org/model","model_type":{"embedding":{"pooling":"cls"}},"version":"1.9.4"}`},
			Identity{Kind: TEI, Version: "1.9.4", Why: "its /info has a model_type"},
			mostProbes,
		},
		"TensorRT-LLM": {
			map[string]string{"Server": "uvicorn"},
			map[string]string{"/v1/models": modelsOf("m", "tensorrt_llm"), "/version": `{"version":"1.2.0"}`},
			Identity{Kind: TRTLLM, Version: "1.2.0", Why: saysItsModels},
			2,
		},
		"TensorRT-LLM with another owner": {
			nil,
			map[string]string{"/v1/models": modelsOf("m", "us"), "/version": `{"version":"1.2.0"}`, "/metrics": `[{"iter":1,"iterLatencyMS":3.5}]`},
			Identity{Kind: TRTLLM, Version: "1.2.0", Why: "its metrics say so"},
			mostProbes,
		},
		"Triton": {
			nil,
			map[string]string{"/v2": `{"name":"triton","version":"2.73.0","extensions":["classification","generate"]}`},
			Identity{Kind: Triton, Version: "2.73.0", Why: "its /v2 says so"},
			mostProbes,
		},
		"Triton's OpenAI frontend": {
			nil,
			map[string]string{"/v1/models": modelsOf("m", "Triton Inference Server")},
			Identity{Kind: TritonOpenAI, Why: saysItsModels},
			1,
		},
		"another server of Open Inference": {
			nil,
			map[string]string{"/v2": `{"name":"mlserver","version":"1.6.1","extensions":[]}`},
			Identity{Kind: KServe, Version: "1.6.1", Why: "it has the /v2 of Open Inference"},
			mostProbes,
		},
		"Infinity, at the root": {
			map[string]string{"Server": "uvicorn"},
			map[string]string{"/models": modelsOf("m", "infinity")},
			Identity{Kind: Infinity, Why: saysItsModels},
			2,
		},
		"LiteLLM": {
			map[string]string{"Server": "uvicorn", "X-Litellm-Version": "1.106.2"},
			map[string]string{"/v1/models": modelsOf("m", "openai"), "/health/liveliness": `"I'm alive!"`},
			Identity{Kind: LiteLLM, Version: "1.106.2", Why: "its headers x-litellm-… say so", Gateway: LiteLLM},
			1,
		},
		"LiteLLM before vLLM": { // what is behind it does not matter
			map[string]string{"X-Litellm-Call-Id": "7"},
			map[string]string{"/v1/models": modelsOf("m", "vllm")},
			Identity{Kind: LiteLLM, Why: "its headers x-litellm-… say so", Gateway: LiteLLM},
			1,
		},
		"LiteLLM without its headers": {
			nil,
			map[string]string{"/v1/models": modelsOf("m", "openai"), "/health/liveliness": `"I'm alive!"`},
			Identity{Kind: LiteLLM, Why: "it has LiteLLM's /health/liveliness", Gateway: LiteLLM},
			mostProbes,
		},
		"OpenAI": {
			map[string]string{"Openai-Version": "2020-10-01", "Server": "cloudflare"},
			map[string]string{"/v1/models": modelsOf("m", "system")},
			Identity{Kind: OpenAI, Version: "2020-10-01", Why: "its header openai-version says so", Gateway: "cloudflare"},
			1,
		},
		"Inferometer": {
			nil,
			map[string]string{"/v1/models": modelsOf("sim", "inferometer"), "/version": `{"version":"sim"}`},
			Identity{Kind: Inferometer, Version: "sim", Why: saysItsModels},
			2,
		},
		"without a version":     {nil, map[string]string{"/v1/models": modelsOf("m", "sglang")}, Identity{Kind: SGLang, Why: saysItsModels}, 3},
		"a version of no text":  {nil, map[string]string{"/v1/models": modelsOf("m", "llamacpp"), "/props": `{"build_info":7}`}, Identity{Kind: LlamaCPP, Why: saysItsModels}, 2},
		"/info of another kind": {nil, map[string]string{"/info": `{"version":"1"}`}, Identity{}, mostProbes},
		"a version only":        {nil, map[string]string{"/v1/models": modelsOf("m", "me"), "/version": `{"version":"9"}`}, Identity{Version: "9"}, mostProbes},
		"/api/version alone": { // Open WebUI and others have it too
			nil, map[string]string{"/v1/models": modelsOf("m", "me"), "/api/version": `{"version":"9"}`}, Identity{}, mostProbes,
		},
		"an owner of a wrong type": {nil, map[string]string{"/v1/models": `{"data":[{"id":7,"owned_by":["vllm"]},{"id":"m","owned_by":"vllm"}]}`}, Identity{Kind: VLLM, Why: saysItsModels}, 2},
		"nothing at all":           {nil, nil, Identity{}, mostProbes},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeServer{header: c.header, paths: c.paths}
			if got := identify(t, f); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			if most := c.most + 1; len(f.asked) > most { // all are asked whether they are routers
				t.Errorf("%d requests, at most %d are needed: %v", len(f.asked), most, f.asked)
			}
			for _, a := range f.asked {
				if !strings.HasPrefix(a, "GET ") {
					t.Errorf("asked by %s", a)
				}
			}
		})
	}
}

// Whatever a server answers, the questions end, nobody is followed elsewhere, and no
// secret comes back.
func TestIdentifyTheHostile(t *testing.T) {
	var elsewhere bool
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere = true }))
	defer other.Close()
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   Identity
	}{
		"an endless body": {func(w http.ResponseWriter, r *http.Request) {
			chunk := []byte(strings.Repeat(`{"version":`, 4096))
			for r.Context().Err() == nil {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, Identity{}},
		"redirects": {http.RedirectHandler(other.URL, http.StatusFound).ServeHTTP, Identity{}},
		"HTML": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<html>Ollama is running</html>")
		}, Identity{}},
		"a list": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[[],{},null,7]`) }, Identity{}},
		"null":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `null`) }, Identity{}},
		"deep":   {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("[", 100_000)) }, Identity{}},
		"errors": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Ollama is running", http.StatusInternalServerError)
		}, Identity{}},
		"its secret": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"version":"key-of-mine \u001b[31m"}`)
		}, Identity{Version: "[redacted] [31m"}},
		"a cut answer": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"data":[`)
		}, Identity{}},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n++
				c.answer(w, r)
			}))
			defer srv.Close()
			to := &Target{Base: srv.URL, Client: srv.Client(), Header: http.Header{"Authorization": {"Bearer key-of-mine"}}}
			got := to.Identify(context.Background())
			if strings.Contains(got.Version, "key-of-mine") || strings.Contains(got.Version, "\x1b") || got.Kind != c.want.Kind {
				t.Errorf("%+v", got)
			}
			if n > mostProbes {
				t.Errorf("%d requests", n)
			}
		})
	}
	if elsewhere {
		t.Error("a redirect was followed")
	}
}

// A server that never answers costs a few seconds, and an address where nobody is none.
func TestIdentifyTheSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network memnet.Network
		l, err := network.Listen("10.0.0.1:80")
		if err != nil {
			t.Fatal(err)
		}
		var n atomic.Int64
		srv := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			n.Add(1)
			<-r.Context().Done()
		})}
		var serving sync.WaitGroup
		serving.Go(func() { _ = srv.Serve(l) })
		client := network.Client()
		defer client.CloseIdleConnections()
		slow := &Target{Base: "http://10.0.0.1:80", Client: client}
		begin := time.Now()
		if got := slow.Identify(t.Context()); got != (Identity{}) || n.Load() != mostSlow {
			t.Errorf("%+v after %d requests", got, n.Load())
		}
		if took := time.Since(begin); took != mostSlow*probeTimeout || took > recogniseTimeout {
			t.Errorf("it took %v", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got := slow.Identify(ctx); got != (Identity{}) || n.Load() != mostSlow {
			t.Errorf("%+v after the end", got)
		}
		srv.Close()
		serving.Wait()
		begin = time.Now()
		if got := slow.Identify(t.Context()); got != (Identity{}) || time.Since(begin) != 0 {
			t.Errorf("%+v of nobody", got)
		}
	})
}

// FuzzIdentify reads any answer to any question: it must end, with a kind of the table or none.
func FuzzIdentify(f *testing.F) {
	for _, seed := range []string{
		modelsOf("m", "vllm"), `{"version":"0.32.0"}`, "Ollama is running", `{"build_info":"b1","total_slots":4}`, `{"name":"triton","version":"2"}`,
		`{"model_id":"m","version":"1","model_type":{}}`, `{"model_path":"m","is_generation":true}`, `"I'm alive!"`,
		"# HELP vllm:x y\nvllm:x 1\n", `[{"iterLatencyMS":1}]`, "llm_d_epp_request_total 1\n", `{"data":[{"owned_by":null}]}`, "",
	} {
		f.Add([]byte(seed), "uvicorn")
	}
	f.Add([]byte("{}"), "llama.cpp")
	f.Fuzz(func(t *testing.T, body []byte, server string) {
		answers := roundTrip(func(*http.Request) *http.Response {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Server": {server}}, Body: io.NopCloser(strings.NewReader(string(body)))}
		})
		id := (&Target{Base: "http://h", Client: &http.Client{Transport: answers}}).Identify(context.Background())
		if id.Kind != "" && id.Quirks().Kind != id.Kind {
			t.Errorf("%q is no kind of the table", id.Kind)
		}
		if (id.Kind != "") != (id.Why != "") {
			t.Errorf("a kind and its reason go together: %+v", id)
		}
		if strings.ContainsAny(id.Version+id.Gateway, "\x1b\n\r\x00") {
			t.Errorf("unsafe words: %+v", id)
		}
	})
}

type roundTrip func(*http.Request) *http.Response

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }
