package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/serve"
	"github.com/inferometer/inferometer/internal/option"
)

// echoSecrets are given in each way that there is: by the environment, in a header,
// in an address, in a body.
var echoSecrets = []string{"sk-echo-key-1", "hush-hush-2", "pass-word-3", "in-the-body-4"}

// echo is a server that repeats all it was sent, wherever it can.
type echo struct {
	fail  bool // every answer is an error
	mu    sync.Mutex
	heard string
	seen  []string // command lines that held a secret while a request was under way
}

func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	body := new(bytes.Buffer)
	_, _ = body.ReadFrom(r.Body)
	words := strings.Join([]string{r.Header.Get("Authorization"), r.Header.Get("X-Secret"), user, password, secretIn(body.String())}, " ")
	e.mu.Lock()
	e.heard += words + body.String()
	e.mu.Unlock()
	w.Header().Set("X-Request-Id", words)
	switch {
	case e.fail:
		http.Error(w, "I don't like "+words, http.StatusForbidden)
	case r.URL.Path == "/v1/models":
		fmt.Fprintf(w, `{"data": [{"id": "m", "root": %q, "owned_by": %q}]}`, words, words)
	case strings.HasPrefix(r.URL.Path, "/v1/"):
		e.lookAtCommands()
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"id\": %q, \"choices\": [{\"index\": 0, \"text\": %q, \"finish_reason\": %q}], \"usage\": {\"prompt_tokens\": 8, \"completion_tokens\": 4}}\n\ndata: [DONE]\n\n", words, words, words)
	default:
		fmt.Fprintf(w, `{"version": %q}`, words)
	}
}

func secretIn(body string) string {
	if strings.Contains(body, "in-the-body-4") {
		return "in-the-body-4"
	}
	return ""
}

// lookAtCommands does what any user of the machine can do.
func (e *echo) lookAtCommands() {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		line, _ := os.ReadFile(file)
		for _, secret := range echoSecrets {
			if bytes.Contains(line, []byte(secret)) {
				e.mu.Lock()
				e.seen = append(e.seen, string(line))
				e.mu.Unlock()
			}
		}
	}
}

// Whatever a server repeats, no secret gets into a file, a message or a command line.
func TestRealAnEchoingServerLearnsNothingToTheWorld(t *testing.T) {
	for _, fail := range []bool{false, true} {
		for _, search := range []string{"", "search: {over: concurrency, min: 1, max: 2, confirm: 1s, time: 5s}\nslo: failed<1%\n"} {
			if fail && search != "" {
				continue
			}
			t.Run(fmt.Sprintf("fail=%v/search=%v", fail, search != ""), func(t *testing.T) {
				e := &echo{fail: fail}
				srv := httptest.NewServer(e)
				defer srv.Close()
				dir := t.TempDir()
				text := "name: echo\ntargets:\n  a: {base_url: \"" + srv.URL + "\", version: /version}\n  b: {base_url: \"" +
					strings.Replace(srv.URL, "://", "://me:pass-word-3@", 1) + "\", version: /version}\n" +
					"workload: {tokenizer: none, model: m, input_len: 8, output_len: 4, num_prompts: 4}\n" +
					"flags: {header: [X-Secret=hush-hush-2], extra-body: {api_key: in-the-body-4}, journal-texts: true}\n" + search
				if search == "" {
					text += "pace: {concurrency: 2}\n"
				}
				file := filepath.Join(dir, "echo.yaml")
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				out := filepath.Join(dir, "out")
				said := ""
				for _, args := range [][]string{{"run", file, "--plan"}, {"run", file, "--output", out}} {
					cmd := exec.Command(program(t), args...)
					cmd.Dir = dir
					cmd.Env = append(os.Environ(), "OPENAI_API_KEY=sk-echo-key-1", "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(out, "state"))
					b, _ := cmd.CombinedOutput() // it may well fail
					said += string(b)
				}
				checkNoSecret(t, "what was printed", said)
				checkFolder(t, out)
				for _, line := range e.seen {
					t.Errorf("a command line: %q", strings.ReplaceAll(line, "\x00", " "))
				}
				for _, secret := range echoSecrets[:3] { // or nothing was tested
					if !strings.Contains(e.heard, secret) {
						t.Errorf("the server never heard %s; the run said\n%s", secret, said)
					}
				}
			})
		}
	}
}

func checkFolder(t *testing.T, folder string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		b, err := unpack(path)
		checkNoSecret(t, path, string(b))
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files, %v", files, err)
	}
}

func checkNoSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range echoSecrets {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("%s holds %s: …%s", where, secret, text[max(0, i-100):min(len(text), i+40)])
		}
	}
}

func TestOwnCommandsAreShownWithoutSecrets(t *testing.T) {
	set, _ := serve.Flags()
	asked := option.Settings{}.With("header", "X-Secret=hush-hush-2").With("base-url", "http://me:pass-word-3@h:1").
		With("extra-body.api_key", "in-the-body-4").With("extra-body", `{"a": {"token": "hush-hush-2", "min_tokens": 5}}`)
	shown := strings.Join(set.Hidden(asked).Words(), " ")
	checkNoSecret(t, "the command line", shown)
	if !strings.Contains(shown, `"min_tokens": 5`) {
		t.Errorf("what is no secret is shown: %q", shown)
	}
}
