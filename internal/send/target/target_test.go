package target

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/testfiles"
)

const scrape = `# HELP vllm:prompt_tokens_total Number of prefill tokens processed.
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{engine="0",model_name="a \"b\", c\\d"} 10.0
vllm:prompt_tokens_total{engine="1",model_name="x"} 1.5e+01 1700000000
plain 7
vllm:spec_decode_num_drafts_total{engine="0"} 4
vllm:spec_decode_num_draft_tokens_total{engine="0"} 12
vllm:spec_decode_num_accepted_tokens_total{engine="0"} 6
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",position="0"} 4
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",position="1"} 2
infinite{le="+Inf"} +Inf
broken{a="b 1
broken{a=b} 1
nothing
`

func TestParseMetrics(t *testing.T) {
	m := ParseMetrics([]byte(scrape))
	if len(m) != 9 {
		t.Errorf("%d lines were read: %v", len(m), m)
	}
	if sum, ok := m.Sum("vllm:prompt_tokens_total"); !ok || sum != 25 {
		t.Errorf("sum %v, %v", sum, ok)
	}
	if _, ok := m.Sum("absent"); ok {
		t.Error("an absent name has a sum")
	}
	if got, want := m[0].Label("model_name"), `a "b", c\d`; got != want {
		t.Errorf("label %q, want %q", got, want)
	}
}

func TestSpecDecode(t *testing.T) {
	before, ok := ParseMetrics([]byte(scrape)).SpecDecode()
	if !ok {
		t.Fatal("no counters")
	}
	later := strings.NewReplacer("drafts_total{engine=\"0\"} 4", "drafts_total{engine=\"0\"} 9", "position=\"1\"} 2", "position=\"1\"} 5").Replace(scrape)
	after, _ := ParseMetrics([]byte(later)).SpecDecode()
	want := SpecDecode{Drafts: 5, PerPosition: []int64{0, 3}}
	if diff := cmp.Diff(want, after.Since(before)); diff != "" {
		t.Error(diff)
	}
	if _, ok := ParseMetrics([]byte("plain 7\n")).SpecDecode(); ok {
		t.Error("counters out of nothing")
	}
}

// Real scrapes of real servers.
func TestParseRealMetrics(t *testing.T) {
	for file, name := range map[string]string{
		"vllm_0.32_cpu_live.prom": "vllm:prompt_tokens_total", "llamacpp_live.prom": "llamacpp:tokens_predicted_total", "tgi_datadog.prom": "tgi_request_success",
	} {
		b, err := os.ReadFile(testfiles.Path(t, "metrics", file))
		if err != nil {
			t.Fatal(err)
		}
		lines := 0
		for line := range strings.Lines(string(b)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines++
			}
		}
		m := ParseMetrics(b)
		if len(m) != lines {
			t.Errorf("%s: %d of %d lines were read", file, len(m), lines)
		}
		if _, ok := m.Sum(name); !ok {
			t.Errorf("%s: no %s", file, name)
		}
	}
}

func TestModelsAndErrors(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("Authorization") != "Bearer k":
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case r.URL.Path == "/v1/models":
			fmt.Fprint(w, `{"data":[{"id":"served","root":"org/model","max_model_len":4096}]}`)
		case r.URL.Path == "/metrics":
			fmt.Fprint(w, scrape)
		}
	}))
	defer srv.Close()
	ctx := context.Background()
	tg := &Target{Base: srv.URL + "/", Client: srv.Client(), Header: http.Header{"Authorization": {"Bearer k"}}}
	models, err := tg.Models(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Model{{ID: "served", Root: "org/model", MaxModelLen: 4096}}, models); diff != "" {
		t.Error(diff)
	}
	if m, err := tg.Metrics(ctx); err != nil || len(m) == 0 {
		t.Errorf("metrics: %v, %v", m, err)
	}
	tg.Header = nil
	if _, err := tg.Models(ctx); err == nil || !strings.Contains(err.Error(), "who are you?") {
		t.Errorf("err = %v", err)
	}
}

func FuzzParseMetrics(f *testing.F) {
	f.Add([]byte(scrape))
	f.Fuzz(func(_ *testing.T, b []byte) { ParseMetrics(b).SpecDecode() })
}
