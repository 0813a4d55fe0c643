package sim

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// A client that never ends its request is not waited for.
func TestReadTimeout(t *testing.T) {
	cfg := fast()
	cfg.ReadTimeout = 50 * time.Millisecond
	addr, stop := startPlain(t, cfg, nil)
	defer stop()
	for name, request := range map[string]string{
		"half a head": "POST /v1/completions HTTP/1.1\r\nHost: a\r\n",
		"half a body": "POST /v1/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.SetDeadline(time.Now().Add(30 * time.Second))
			if _, err := io.WriteString(c, request); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(c); err != nil {
				t.Errorf("the server did not end it: %v", err)
			}
		})
	}
}

func TestIgnoredFields(t *testing.T) {
	c, err := parseCall([]byte(`{"messages":[{"role":"user","content":"hi"}],"max_completion_tokens":3,"max_tokens":5}`), true, newWordTokenizer(), "max_completion_tokens")
	if err != nil || c.maxTokens != 5 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := parseCall([]byte("{"), true, newWordTokenizer(), "max_tokens"); err == nil || !strings.Contains(err.Error(), "not the JSON") {
		t.Errorf("%v", err)
	}
}
