package sim

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/memnet"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// A client that never ends its request is not waited for.
func TestReadTimeout(t *testing.T) {
	cfg := fast()
	cfg.ReadTimeout = 20 * time.Second // heads have 30 s at most
	for name, request := range map[string]string{
		"half a head": "POST /v1/completions HTTP/1.1\r\nHost: a\r\n",
		"half a body": "POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, cfg, func(t *testing.T, r *running, network *memnet.Network) {
				c, err := network.DialContext(t.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				began := time.Now()
				if _, err := io.WriteString(c, request); err != nil {
					t.Fatal(err)
				}
				if _, err := io.ReadAll(c); err != nil {
					t.Errorf("the server did not end it: %v", err)
				}
				if took := time.Since(began); took != cfg.ReadTimeout {
					t.Errorf("ended after %v", took)
				}
			})
		})
	}
}

func TestIgnoredFields(t *testing.T) {
	tokenizer := vocab.NewWordTokenizer()
	raw := []byte(`{"messages":[{"role":"user","content":"hi"}],"max_completion_tokens":3,"max_tokens":5}`)
	c, err := dialect.ParseCall(without(raw, []string{"max_completion_tokens"}), true, tokenizer)
	if err != nil || c.MaxTokens != 5 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := dialect.ParseCall(without([]byte("{"), []string{"max_tokens"}), true, tokenizer); err == nil || !strings.Contains(err.Error(), "not the JSON") {
		t.Errorf("%v", err)
	}
}
