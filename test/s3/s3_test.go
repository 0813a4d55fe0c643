// Package s3 uploads runs to a real S3-compatible server. `make test-s3` builds it.
package s3

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
	"github.com/inferometer/inferometer/internal/sim/subprocess"
	"github.com/inferometer/inferometer/test/realserver"
)

const (
	key    = "testkey"
	secret = "a-secret-that-nobody-sees"
)

// store is a running gateway. Its objects are files below data.
type store struct{ url, data string }

func start(t *testing.T) store {
	t.Helper()
	program := realserver.Lines(t, "INFEROMETER_S3", 1, "make test-s3")[0]
	dir := t.TempDir()
	data, meta := filepath.Join(dir, "data"), filepath.Join(dir, "meta")
	for _, folder := range []string{filepath.Join(data, "results"), meta} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	address := fmt.Sprintf("127.0.0.1:%d", fleettest.FreePort(t))
	cmd := exec.Command(program, "--port", address, "posix", "--sidecar", meta, data)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+key, "ROOT_SECRET_KEY="+secret)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	fleettest.Listening(t, address)
	return store{"http://" + address, data}
}

// user types commands.
type user struct {
	t       *testing.T
	program string
	dir     string
	env     []string
	url     string // of a simulated server
}

func newUser(t *testing.T, s store) *user {
	t.Helper()
	u := &user{t: t, program: realserver.Build(t), dir: t.TempDir()}
	sim, err := subprocess.Start(u.program, "--ttft", "1ms", "--itl", "1ms")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Stop() })
	u.url = sim.URL
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "AWS_") {
			u.env = append(u.env, pair)
		}
	}
	u.env = append(u.env, "XDG_STATE_HOME="+u.dir, "AWS_ENDPOINT_URL="+s.url, "AWS_ACCESS_KEY_ID="+key, "AWS_SECRET_ACCESS_KEY="+secret)
	return u
}

// types gives what was said, on both streams, and the exit code. No secret is ever said.
func (u *user) types(env []string, args ...string) (said string, code int) {
	u.t.Helper()
	cmd := exec.Command(u.program, args...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = u.dir, append(slices.Clone(u.env), env...), &out, &out
	_ = cmd.Run() // the exit code tells
	if strings.Contains(out.String(), secret) {
		u.t.Errorf("%q shows the secret:\n%s", args, &out)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// bench is a small run.
func (u *user) bench(env []string, more ...string) (said string, code int) {
	u.t.Helper()
	return u.types(env, append([]string{
		"bench", "serve", "--base-url", u.url, "--num-prompts", "4", "--max-concurrency", "2",
		"--random-input-len", "4", "--random-output-len", "2",
	}, more...)...)
}

func TestARunIsUploaded(t *testing.T) {
	s := start(t)
	u := newUser(t, s)
	const odd = `ümlaut 'a" b+c%41&d=e`
	said, code := u.bench(nil, "--upload", "s3://results/nightly/main/", "--run-dir", odd)
	if code != 0 || !strings.Contains(said, "uploaded: s3://results/nightly/main/"+odd+" (4 files, ") {
		t.Fatalf("exit code %d:\n%s", code, said)
	}
	there := filepath.Join(s.data, "results", "nightly", "main", odd)
	for _, name := range []string{"journal.jsonl.zst", "metrics.jsonl.zst", "result.json", "spec.json"} {
		a, err := os.ReadFile(filepath.Join(u.dir, odd, name))
		b, err2 := os.ReadFile(filepath.Join(there, name))
		if err != nil || err2 != nil || !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %v, %v, %d and %d bytes", name, err, err2, len(a), len(b))
		}
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("%s holds the secret", name)
		}
	}
	if entries, _ := os.ReadDir(there); len(entries) != 4 {
		t.Errorf("%v", entries)
	}
	// What was uploaded is a run.
	if said, code := u.types(nil, "report", there); code != 0 || !strings.Contains(said, "Successful requests:") {
		t.Errorf("exit code %d:\n%s", code, said)
	}
	// Once more is nothing new; another run of that name does not take its place.
	if said, code := u.types(nil, "upload", odd, "s3://results/nightly/main"); code != 0 {
		t.Errorf("exit code %d:\n%s", code, said)
	}
	if err := os.RemoveAll(filepath.Join(u.dir, odd)); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(filepath.Join(there, "journal.jsonl.zst"))
	said, code = u.bench(nil, "--upload", "s3://results/nightly/main", "--run-dir", odd)
	if code != 1 || !strings.Contains(said, "is there already, and is another one") || !strings.Contains(said, "Successful requests:") {
		t.Errorf("exit code %d:\n%s", code, said)
	}
	if after, _ := os.ReadFile(filepath.Join(there, "journal.jsonl.zst")); !bytes.Equal(before, after) {
		t.Error("the first run was replaced")
	}
}

// A Spec is uploaded by exec, a scenario by run, with all its points.
func TestExecAndRun(t *testing.T) {
	s := start(t)
	u := newUser(t, s)
	spec, code := u.bench(nil, "--print-spec")
	if code != 0 {
		t.Fatal(spec)
	}
	write(t, filepath.Join(u.dir, "spec.json"), spec)
	if said, code := u.types(nil, "exec", "--run-dir", "one", "--upload", "s3://results", "spec.json"); code != 0 || !strings.Contains(said, "uploaded: s3://results/one (4 files") {
		t.Errorf("exit code %d:\n%s", code, said)
	}
	write(t, filepath.Join(u.dir, "s.yaml"), "name: small\ntargets: {a: {base_url: \""+u.url+"\"}}\nworkload: {dataset: random, input_len: 4, output_len: 2, num_prompts: 4}\nmatrix: {concurrency: [1, 2]}\n")
	for range 2 { // the second time nothing is measured, and all is there
		if said, code := u.types(nil, "run", "s.yaml", "--upload", "s3://results/x"); code != 0 || !strings.Contains(said, "uploaded: s3://results/x/small (") {
			t.Fatalf("exit code %d:\n%s", code, said)
		}
	}
	names, err := filepath.Glob(filepath.Join(s.data, "results/x/small/points/*/run/*"))
	if err != nil || len(names) != 8 {
		t.Errorf("%q, %v", names, err)
	}
	for _, name := range []string{"scenario.yaml", "summary.json", "summary.csv", "table.md", "report.html"} {
		if _, err := os.Stat(filepath.Join(s.data, "results/x/small", name)); err != nil {
			t.Error(err)
		}
	}
	if logs, _ := filepath.Glob(filepath.Join(s.data, "results/x/small/points/*/*.log")); len(logs) > 0 {
		t.Errorf("%q", logs)
	}
}

// What can't work is said before anything is sent.
func TestRefusedBeforeTheLoad(t *testing.T) {
	s := start(t)
	u := newUser(t, s)
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>hello") }))
	t.Cleanup(html.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	_ = l.Close()
	for _, c := range []struct {
		name, to, env string
		code          int
		want          string
	}{
		{"absent bucket", "s3://nowhere/x", "", 1, "there is no bucket nowhere at 127.0.0.1"},
		{"unknown key", "s3://results", "AWS_ACCESS_KEY_ID=someone", 1, "No user exists with the provided access key"},
		{"wrong secret", "s3://results", "AWS_SECRET_ACCESS_KEY=wrong-wrong-wrong", 1, "is not that of the key in AWS_ACCESS_KEY_ID"},
		{"nobody there", "s3://results", "AWS_ENDPOINT_URL=" + closed, 1, "connection refused"},
		{"no store", "s3://results", "AWS_ENDPOINT_URL=" + html.URL, 1, "the store 127.0.0.1"},
		{"no keys", "s3://results", "AWS_SECRET_ACCESS_KEY=", 2, "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"},
		{"plain to another machine", "s3://results", "AWS_ENDPOINT_URL=http://192.0.2.1:9000", 2, "--upload-plain"},
		{"no address", "results/x", "", 2, `needs an address such as s3://bucket/prefix, not "results/x"`},
		{"a login", "s3://" + key + ":" + secret + "@results", "", 2, "holds an @"},
		{"capital letters", "s3://Results", "", 2, `"Results" is no name of a bucket`},
		{"a way out", "s3://results/../other", "", 2, "empty part, or one of dots"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said, code := u.bench([]string{c.env}, "--upload", c.to, "--run-dir", "never")
			if code != c.code || !strings.Contains(said, c.want) || strings.Contains(said, "wrong-wrong") {
				t.Errorf("exit code %d:\n%s", code, said)
			}
			if _, err := os.Stat(filepath.Join(u.dir, "never")); err == nil {
				t.Error("it was run")
			}
		})
	}
}

// A store that fails after the load spoils nothing: the result is shown, the exit code is
// 1, and the command that is said does it later.
func TestTheStoreFailsAfterTheLoad(t *testing.T) {
	s := start(t)
	u := newUser(t, s)
	refuse := true
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuse && r.Method == http.MethodPut {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "<Error><Code>QuotaExceeded</Code><Message>full: %s</Message></Error>", secret)
			return
		}
		forward(w, r, s.url)
	}))
	t.Cleanup(proxy.Close)
	env := []string{"AWS_ENDPOINT_URL=" + proxy.URL}
	said, code := u.bench(env, "--upload", "s3://results", "--run-dir", "kept whole", "--format", "json")
	if code != 1 || !strings.Contains(said, "refuses it: full: <redacted> (QuotaExceeded)") {
		t.Errorf("exit code %d:\n%s", code, said[max(0, len(said)-500):])
	}
	if first, _, _ := strings.Cut(said[strings.Index(said, "{"):], "\n"); !json.Valid([]byte(first)) {
		t.Errorf("no result in\n%s", said)
	}
	_, again, found := strings.Cut(said, "Try again: ")
	if !found {
		t.Fatal(said)
	}
	refuse = false
	cmd := exec.Command("sh", "-c", strings.Replace(strings.TrimSpace(again), "inferometer", u.program, 1))
	cmd.Env = u.env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "uploaded: s3://results/kept whole (4 files") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// A journal that is sent in parts arrives whole, and once.
func TestManyParts(t *testing.T) {
	s := start(t)
	u := newUser(t, s)
	run := filepath.Join(u.dir, "large")
	if err := os.Mkdir(run, 0o700); err != nil {
		t.Fatal(err)
	}
	content := bytes.Repeat([]byte("0123456789abcde\n"), 40<<20/16)
	write(t, filepath.Join(run, "journal.jsonl.zst"), string(content))
	for range 2 {
		if said, code := u.types(nil, "upload", "large", "s3://results"); code != 0 {
			t.Fatalf("exit code %d:\n%s", code, said)
		}
	}
	if got, err := os.ReadFile(filepath.Join(s.data, "results/large/journal.jsonl.zst")); err != nil || !bytes.Equal(got, content) {
		t.Errorf("%v, %d bytes", err, len(got))
	}
	content[0] = 'X'
	write(t, filepath.Join(run, "journal.jsonl.zst"), string(content))
	if said, code := u.types(nil, "upload", "large", "s3://results"); code != 1 || !strings.Contains(said, "is another one") {
		t.Errorf("exit code %d:\n%s", code, said)
	}
	if said, code := u.types(nil, "upload", ".", "s3://results"); code != 1 || !strings.Contains(said, "holds neither a run nor") {
		t.Errorf("exit code %d:\n%s", code, said)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// forward hands a request on as it is: its signature is of the name that it was sent to.
func forward(w http.ResponseWriter, r *http.Request, to string) {
	next, err := http.NewRequestWithContext(r.Context(), r.Method, to+r.URL.RequestURI(), r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	next.Header, next.Host, next.ContentLength = r.Header, r.Host, r.ContentLength
	answer, err := http.DefaultTransport.RoundTrip(next)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}
