package target

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestIdentify(t *testing.T) {
	for name, c := range map[string]struct {
		owner string
		paths map[string]string
		want  Identity
	}{
		"by its owner":          {"vllm", map[string]string{"/version": `{"version":"0.32.0"}`}, Identity{"vLLM", "0.32.0"}},
		"without a version":     {"sglang", nil, Identity{"SGLang", ""}},
		"a version of no text":  {"llamacpp", map[string]string{"/props": `{"build_info":7}`}, Identity{"llama.cpp", ""}},
		"by its path":           {"org/model", map[string]string{"/info": `{"version":"3.1","model_id":"org/model"}`}, Identity{"TGI", "3.1"}},
		"/info of another kind": {"me", map[string]string{"/info": `{"version":"1"}`}, Identity{}},
		"no JSON":               {"me", map[string]string{"/version": `<html>`, "/info": `[]`}, Identity{}},
		"a version only":        {"me", map[string]string{"/version": `{"version":"9"}`}, Identity{"", "9"}},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, ok := c.paths[r.URL.Path]
				if !ok {
					http.NotFound(w, r)
					return
				}
				_, _ = io.WriteString(w, body)
			}))
			defer srv.Close()
			tg := &Target{Base: srv.URL, Client: srv.Client()}
			if got := tg.Identify(context.Background(), []Model{{ID: "m", OwnedBy: c.owner}}); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
