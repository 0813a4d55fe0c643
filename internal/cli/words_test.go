package cli

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
)

// No output of ours lets a server or a file steer the terminal: each word of theirs
// holds sequences, and none is left in what is printed or written.
func TestNoWordFromOutsideSteersTheTerminal(t *testing.T) {
	t.Parallel()
	const word = `\u001b[2J\u001b]0;title\u0007\u009b31mw\u202eord\r\n=1+1|<b>`
	var n atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "\u009b31mid\u202e")
		switch {
		case r.URL.Path == "/v1/models":
			fmt.Fprintf(w, `{"data": [{"id": "m%s", "root": "%s", "owned_by": "%s"}]}`, word, word, word)
		case !strings.HasPrefix(r.URL.Path, "/v1/"):
			http.Error(w, "\x1b[2Jnot here", http.StatusNotFound)
		case n.Add(1)%3 == 0:
			http.Error(w, "\x1b[2J\x1b]0;title\x07no\r\n\u202e|<script>", http.StatusServiceUnavailable)
		case n.Load()%3 == 1:
			fmt.Fprintf(w, "data: {\"error\": {\"message\": \"%s\"}}\n\n", word)
		default:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"id\": \"%s\", \"choices\": [{\"index\": 0, \"text\": \"x\", \"finish_reason\": \"%s\"}]}\n\ndata: [DONE]\n\n", word, word)
		}
	}))
	defer srv.Close()
	dir := t.TempDir()
	all := map[string]string{}
	do := func(args ...string) {
		cmd := exec.Command(program(t), args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		b, err := cmd.CombinedOutput() // a doubtful result has an exit code of its own
		all[strings.Join(args[:2], " ")+" "+args[len(args)-1]] = string(b)
		if len(b) == 0 && err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	do("bench", "serve", "--base-url", srv.URL, "--num-prompts", "9", "--random-input-len", "8", "--random-output-len", "1", "--skip-tokenizer-init",
		"--label", "\x1b[2Jl\u202eabel", "--run-dir", "run", "--save-result", "--append-markdown", "notes.md")
	for _, format := range []string{"report.html", "report.md", "report.csv", "report.json"} {
		do("report", "run", "-o", format)
	}
	do("report", "run", "--format", "csv", "--table", "requests", "-o", "requests.csv")
	do("compare", "run", "notes.md")
	do("compare", "run", "notes.md", "--format", "markdown")
	do("doctor", "--base-url", srv.URL)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) == ".png" {
			return err
		}
		if strings.Contains(path, "/state/") {
			return nil // hashes
		}
		b, err := unpack(path)
		text := string(b)
		if filepath.Ext(path) == ".zst" {
			_, text, _ = strings.Cut(text, "\n") // the first line is the user's command, cleaned where it is read
		}
		all[path] = text
		return err
	})
	if err != nil || len(all) < 14 {
		t.Errorf("%d outputs, %v", len(all), err)
	}
	for name, text := range all {
		if strings.Contains(text, "0;title") || strings.Contains(text, `\u001b`) {
			t.Errorf("%s holds a sequence", name)
		}
		if i := strings.IndexFunc(text, steers); i >= 0 {
			t.Errorf("%s holds %q", name, text[max(0, i-60):min(len(text), i+30)])
		}
	}
}

func steers(r rune) bool {
	return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200b' && r != '\u00ad'
}
