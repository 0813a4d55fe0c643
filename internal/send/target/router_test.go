package target

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/journal"
)

// What the real routers answer, shortened.
const (
	vllmRouterWorkers   = `{"workers":[{"url":"http://127.0.0.1:29102","model_id":"unknown","worker_type":"regular","is_healthy":true,"connection_mode":"Http"},{"url":"http://127.0.0.1:29101","worker_type":"regular"}],"total":2,"stats":{"prefill_count":0,"decode_count":0,"regular_count":2}}`
	sglangRouterWorkers = `{"workers":[{"id":"7b5d2e3c-d365-4178-9f2f-2ec799d436dc","url":"http://127.0.0.1:29101","worker_type":"prefill","connection_mode":"HTTP"},{"id":"77ed2240","url":"http://127.0.0.1:29102","worker_type":"decode"}],"total":2,"stats":{"prefill_count":1,"decode_count":1,"regular_count":0}}`
	smgWorkers          = `{"workers":[{"id":"01a1ebbc","model_id":"m","url":"http://127.0.0.1:29101","worker_type":"regular","connection_mode":"http","runtime_type":"vllm"}],"total":1,"stats":{"prefill_count":0,"decode_count":0,"regular_count":1}}`
	dynamoHealth        = `{"status":"healthy","instances":[{"component":"backend","endpoint":"generate","namespace":"dynamo","instance_id":4850398500657817673,"transport":{"tcp":"192.0.2.2:39219/x"}},{"component":"prefill","endpoint":"generate","instance_id":601700863877037737},{"component":"prefill","endpoint":"worker_kv_query_source_1","instance_id":601700863877037737}]}`
	liteLLMInfo         = `{"data":[{"model_name":"m","litellm_params":{"api_base":"http://127.0.0.1:29101/v1"},"model_info":{"id":"cc29"}},{"litellm_params":{"model":"openai/gpt"}}]}`
	stackMetrics        = "vllm:num_requests_running{server=\"http://10.0.0.7:8000\"} 1\nvllm:current_qps{server=\"http://10.0.0.6:8000\"} 1\n"
)

func behindOf(found string, list ...string) (out []journal.Replica) {
	for _, text := range list {
		role, address, ok := strings.Cut(text, "=")
		if !ok {
			role, address = "", text
		}
		out = append(out, journal.Replica{Name: address, URL: address, Role: journal.Role(role), Found: found})
	}
	return out
}

func TestRouter(t *testing.T) {
	a, b := "http://127.0.0.1:29101", "http://127.0.0.1:29102"
	dynamo := []journal.Replica{{Name: "4850398500657817673", Role: journal.Decode, Found: "/health"}, {Name: "601700863877037737", Role: journal.Prefill, Found: "/health"}}
	lite := []journal.Replica{{Name: a + "/v1", URL: a, Found: "/model/info"}}
	for name, c := range map[string]struct {
		paths  map[string]string
		kind   string
		behind []journal.Replica
	}{
		"vllm-router":      {map[string]string{"/workers": vllmRouterWorkers, "/v1/models": modelsOf("m", "vllm"), "/metrics": "vllm:num_requests_running 0\n"}, VLLMRouter, behindOf("/workers", a, b)},
		"sglang-router":    {map[string]string{"/workers": sglangRouterWorkers}, SGLangRouter, behindOf("/workers", "prefill="+a, "decode="+b)},
		"smg":              {map[string]string{"/workers": smgWorkers}, SMG, behindOf("/workers", a)},
		"our own":          {map[string]string{"/workers": `{"workers":[{"url":"` + a + `","role":"prefill","is_healthy":true}]}`}, SimRouter, behindOf("/workers", "prefill="+a)},
		"Dynamo":           {map[string]string{"/metrics": "dynamo_frontend_model_ready 1\n", "/health": dynamoHealth}, Dynamo, dynamo},
		"LiteLLM":          {map[string]string{"/health/liveliness": `"I'm alive!"`, "/model/info": liteLLMInfo}, LiteLLM, lite},
		"production-stack": {map[string]string{"/v1/models": modelsOf("m", "vllm"), "/metrics": stackMetrics}, ProductionStack, behindOf("/metrics", "http://10.0.0.6:8000", "http://10.0.0.7:8000")},
		"vLLM":             {map[string]string{"/v1/models": modelsOf("m", "vllm"), "/metrics": "vllm:num_requests_running{engine=\"0\"} 0\n"}, "", nil},
		"somebody else's":  {map[string]string{"/workers": `{"workers":["a"]}`, "/metrics": "go_threads 1\n"}, "", nil},
		"a page":           {map[string]string{"/workers": "<html>"}, "", nil},
		"no servers yet":   {map[string]string{"/workers": `{"workers":[],"total":0,"stats":{}}`}, VLLMRouter, nil},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(&fakeServer{paths: c.paths})
			defer srv.Close()
			got := (&Target{Base: srv.URL, Client: srv.Client()}).Router(context.Background())
			if got.Kind != c.kind {
				t.Errorf("%q, want %q", got.Kind, c.kind)
			}
			if diff := cmp.Diff(c.behind, got.Behind); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A router's list is data: bounded, of addresses only, and without what a terminal would act on.
func TestRouterNamesNonsense(t *testing.T) {
	var entries []string
	for _, address := range []string{"file:///etc/passwd", "http://user:secret@h:1", "http://a:1/x?y=1#z", "\x1b[31mhttp://b:1", ""} {
		entries = append(entries, fmt.Sprintf(`{"url":%q}`, address))
	}
	for i := range 1000 {
		entries = append(entries, fmt.Sprintf(`{"url":"http://10.0.%d.%d:8000"}`, i/250, i%250))
	}
	body := strings.ReplaceAll(`{"workers":[`+strings.Join(entries, ",")+`],"stats":{}}`, `\x1b`, `\u001b`)
	srv := httptest.NewServer(&fakeServer{paths: map[string]string{"/workers": body}})
	defer srv.Close()
	got := (&Target{Base: srv.URL, Client: srv.Client()}).Router(context.Background()).Behind
	if len(got) != mostBehind {
		t.Errorf("%d servers", len(got))
	}
	for _, one := range got {
		if strings.ContainsAny(one.URL, "?#@") || strings.Contains(one.Name+one.URL, "\x1b") {
			t.Errorf("%+v", one)
		}
		if strings.Contains(one.URL, "secret") || strings.HasPrefix(one.URL, "file") {
			t.Errorf("%+v would be asked", one)
		}
	}
}

func TestReachable(t *testing.T) {
	for _, c := range []struct {
		base, address string
		yes           bool
	}{
		{"http://127.0.0.1:1", "http://127.0.0.1:2", true},
		{"http://localhost:1", "http://127.0.0.1:2", true},
		{"http://gpu-a:1", "http://gpu-a:2", true},
		{"http://gpu-a:1", "http://10.0.0.3:8000", true},
		{"http://gpu-a:1", "http://127.0.0.1:2", false},
		{"http://gpu-a:1", "http://localhost:2", false},
		{"http://gpu-a:1", "http://169.254.169.254", false},
		{"http://gpu-a:1", "http://[fe80::1]:80", false},
		{"http://gpu-a:1", "http://0.0.0.0:80", false},
		{"http://gpu-a:1", "", false},
	} {
		if why := Reachable(c.base, c.address); (why == "") != c.yes {
			t.Errorf("%s named by %s: %q", c.address, c.base, why)
		}
	}
}
