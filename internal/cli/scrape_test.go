package cli

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/command"
)

// A run whose server says NaN has its result.
func TestRunWithNaNInMetrics(t *testing.T) {
	t.Parallel()
	server, err := startSim(exec.Command(program(t), "sim", "--listen", "127.0.0.1:0", "--ttft", "1ms", "--itl", "1ms"))
	if err != nil {
		t.Fatal(err)
	}
	defer server.stop()
	to, err := url.Parse(server.url)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(to)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/metrics" {
			fmt.Fprint(w, "a_total 3\nbroken_total NaN\n")
			return
		}
		pass.ServeHTTP(w, r)
	}))
	defer front.Close()
	var out, said bytes.Buffer
	code := Main(t.Context(), []string{
		"bench", "serve", "--base-url", front.URL, "--num-prompts", "3", "--random-input-len", "8", "--random-output-len", "2",
		"--run-dir", filepath.Join(t.TempDir(), "run"), "--progress", "none", "--skip-tokenizer-init",
	}, nil, &out, &said)
	if code != command.ExitDone || !strings.Contains(said.String(), "values that are no numbers, which are left out: broken_total") {
		t.Errorf("exit code %d, %s", code, &said)
	}
}
