package prepare

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// The table of servers names backends that are there, for work that they can do.
func TestQuirksNameBackends(t *testing.T) {
	for _, q := range target.AllQuirks() {
		for work, name := range map[string]string{"text": q.Text, "chat": q.Chat, "embeddings": q.Embeddings, "rerank": q.Rerank} {
			if name == "" {
				continue
			}
			t.Run(q.Kind+"/"+work, func(t *testing.T) {
				b, err := protocol.FindBackend(name)
				if err != nil {
					t.Skipf("%s is not spoken yet", name)
				}
				if work == "chat" && !b.Chat || work == "embeddings" && !b.Pooling || work == "rerank" && !b.Query || work == "text" && b.Pooling {
					t.Errorf("%s is not for %s", name, work)
				}
			})
		}
	}
}

func specFor(t *testing.T, dataset string) *spec.Spec {
	t.Helper()
	s := &spec.Spec{}
	if err := s.ChooseDataset(dataset); err != nil {
		t.Fatal(err)
	}
	s.Backend = spec.BackendAuto
	return s
}

func TestBestBackend(t *testing.T) {
	for _, c := range []struct {
		kind, dataset, endpoint, want string // an error's words after "!"
	}{
		{target.VLLM, "random", "", "vllm"},
		{target.VLLM, "multi-turn", "", "openai-chat"},
		{target.VLLM, "random-mm", "", "openai-chat"},
		{target.VLLM, "random-rerank", "", "vllm-rerank"},
		{target.VLLM, "custom_audio", "", "openai-audio"},
		{target.VLLM, "timed_trace", "", "vllm"},
		{target.VLLM, "random", "/v1/embeddings", "openai-embeddings"},
		{target.VLLM, "random", "/v1/chat/completions", "openai-chat"},
		{target.VLLM, "random", "/v1/completions", "vllm"},
		{target.VLLM, "random", "/pooling", "vllm-pooling"},
		{target.VLLM, "random", "/nowhere", "!knows no protocol for --endpoint /nowhere"},
		{target.SGLang, "random", "", "openai"},
		{target.LlamaCPP, "random", "", "openai"},
		{target.TRTLLM, "random", "", "openai"},
		{target.LiteLLM, "random", "", "openai-chat"},
		{target.LiteLLM, "timed_trace", "", "!none of its protocols will do"},
		{target.Infinity, "random", "", "infinity-embeddings"},
		{target.Infinity, "multi-turn", "", "!no protocol of it is known for the dataset multi-turn"},
		{target.Triton, "random-rerank", "", "!no protocol of it is known"},
		{"", "random", "", "openai"},
		{"", "multi-turn", "", "openai-chat"},
		{"", "random-rerank", "", "vllm-rerank"},
		{"", "random", "/v1/embeddings", "openai-embeddings"},
	} {
		s := specFor(t, c.dataset)
		s.Endpoint = c.endpoint
		got, err := s.BestBackend(target.Identity{Kind: c.kind, Version: "9"})
		words, wantErr := strings.CutPrefix(c.want, "!")
		switch {
		case wantErr && (err == nil || !strings.Contains(err.Error(), words)):
			t.Errorf("%+v: %q, %v", c, got, err)
		case !wantErr && (err != nil || got != c.want):
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

// Servers of the other protocols get their own, where it is spoken.
func TestBestBackendIsTheServersOwn(t *testing.T) {
	for kind, want := range map[string]string{target.Ollama: "ollama", target.TGI: "tgi", target.Triton: "trtllm", target.KServe: "kserve"} {
		t.Run(kind, func(t *testing.T) {
			if !slices.Contains(protocol.Backends(), want) {
				t.Skipf("%s is not spoken yet", want)
			}
			if got, err := specFor(t, "random").BestBackend(target.Identity{Kind: kind}); got != want || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			if got, err := specFor(t, "timed_trace").BestBackend(target.Identity{Kind: kind}); err == nil {
				t.Errorf("token ids go to %s", got)
			}
		})
	}
}

// owned is a server whose models have an owner; empty: it lists none.
func owned(t *testing.T, owner string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case owner != "" && r.URL.Path == "/v1/models":
			_, _ = io.WriteString(w, `{"data":[{"id":"m","owned_by":"`+owner+`"}]}`)
		case owner != "" && r.URL.Path == "/version":
			_, _ = io.WriteString(w, `{"version":"0.32.0"}`)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestChooseBackend(t *testing.T) {
	vllm, other, silent := owned(t, "vllm"), owned(t, "sglang"), owned(t, "")
	for name, c := range map[string]struct {
		urls       []string
		want, said string
		err        string
	}{
		"vLLM":             {[]string{vllm}, "vllm", "backend: vllm, for the server is vLLM 0.32.0 (its list of models says so)", ""},
		"two of a kind":    {[]string{vllm, owned(t, "vllm")}, "vllm", "backend: vllm, for the server is vLLM 0.32.0 (its list of models says so)", ""},
		"not recognised":   {[]string{silent}, "openai", "backend: openai, for the server does not say what it is; name another one if it speaks it", ""},
		"two kinds":        {[]string{vllm, other}, "", "", "auto takes one protocol for all targets"},
		"one not known":    {[]string{vllm, silent}, "", "", "is not known"},
		"nobody is there":  {[]string{"http://127.0.0.1:1"}, "", "", "nothing is listening"},
		"nobody beside it": {[]string{vllm, "http://127.0.0.1:1"}, "", "", "nothing is listening"},
	} {
		t.Run(name, func(t *testing.T) {
			s := specFor(t, "random")
			s.URLs = slices.Clone(c.urls)
			var said []string
			h := &Host{Say: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
			err := ChooseBackend(context.Background(), s, h)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || s.Backend != c.want || strings.Join(said, "\n") != c.said {
				t.Errorf("%s, %v, said %q", s.Backend, err, said)
			}
			if !slices.Equal(s.URLs, c.urls) {
				t.Errorf("the addresses became %v", s.URLs)
			}
		})
	}
}

// A protocol that has no token ids refuses a dataset that sends them, before it is opened.
func TestTokenIDsAreRefusedEarly(t *testing.T) {
	s := specFor(t, "timed_trace")
	s.Backend, s.NumPrompts, s.Path = "tgi", 1, "trace.jsonl"
	if err := s.CheckDataset(); err == nil || !strings.Contains(err.Error(), "sends token ids, which --backend tgi can't send") {
		t.Errorf("%v", err)
	}
	if workload.SendsIDs(nil) {
		t.Error("batches speak for themselves")
	}
}
