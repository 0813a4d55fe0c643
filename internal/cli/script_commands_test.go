package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/journal"
)

// session is what a script has under way.
type session struct {
	sim   *simProcess
	job   *exec.Cmd
	out   syncBuffer // of the job
	err   syncBuffer
	proxy *countingProxy

	replicas []*simProcess
}

type sessionKey struct{}

func sessionOf(ts *testscript.TestScript) *session { return ts.Value(sessionKey{}).(*session) }

func usageOf(ts *testscript.TestScript, ok bool, usage string) {
	if !ok {
		ts.Fatalf("usage: %s", usage)
	}
}

// sim [flags]: starts a simulator on a free port and sets $URL. It is stopped at
// the end of the script, or by simstop.
func cmdSim(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	usageOf(ts, !neg && s.sim == nil, "sim [flags], one at a time")
	cmd := commandIn(ts, append([]string{"inferometer", "sim", "--listen", "127.0.0.1:0"}, args...))
	p, err := startSim(cmd)
	ts.Check(err)
	s.sim = p
	ts.Setenv("URL", p.url)
	ts.Setenv("ADDRESS", strings.TrimPrefix(p.url, "http://"))
	ts.Defer(func() { _ = p.stop() }) // a second time is harmless
}

// simstop: ends the simulator, so that its truth is on the disk.
func cmdSimStop(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	usageOf(ts, !neg && s.sim != nil && len(args) == 0, "simstop, after sim")
	ts.Check(s.sim.stop())
	s.sim = nil
}

// inflight N: waits until the simulator works on N requests.
func cmdInFlight(ts *testscript.TestScript, neg bool, args []string) {
	waitMetric(ts, neg, args, "num_requests_running")
}

// served N: waits until the simulator has answered N requests.
func cmdServed(ts *testscript.TestScript, neg bool, args []string) {
	waitMetric(ts, neg, args, "request_success_total")
}

func waitMetric(ts *testscript.TestScript, neg bool, args []string, name string) {
	usageOf(ts, !neg && len(args) == 1, "inflight N, served N")
	want, err := strconv.ParseFloat(args[0], 64)
	ts.Check(err)
	ts.Check(sessionOf(ts).sim.waitMetric(name, want))
}

// login USER:PASSWORD: sets $LOGIN to $URL with them.
func cmdLogin(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "login USER:PASSWORD")
	ts.Setenv("LOGIN", strings.Replace(ts.Getenv("URL"), "://", "://"+args[0]+"@", 1))
}

// exit CODE command…: runs a command that must end with this exit code.
func cmdExit(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) >= 2, "exit CODE command [args…]")
	cmd := commandIn(ts, args[1:])
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	checkExit(ts, cmd.Run(), args[0])
}

// compared RESULT…: inferometer compare, which may find that the runs are not comparable where this machine
// was too busy for one of them, and for no other reason.
func cmdCompared(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) >= 1, "compared RESULT…")
	cmd := commandIn(ts, append([]string{"inferometer", "compare"}, args...))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = io.MultiWriter(ts.Stdout(), &out), ts.Stderr()
	err := cmd.Run()
	busy := strings.Contains(out.String(), "verdict is INVALID") || strings.Contains(out.String(), "<h1>") || strings.Contains(out.String(), "metric,side")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == command.ExitUndecided && busy {
		return
	}
	ts.Check(err)
}

// start command…: runs a command in the background, one at a time, until result.
func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	usageOf(ts, !neg && len(args) >= 1 && s.job == nil, "start command [args…], one at a time")
	s.out.reset()
	s.err.reset()
	s.job = commandIn(ts, args)
	s.job.Stdout, s.job.Stderr = &s.out, &s.err
	ts.Check(s.job.Start())
	ts.Defer(func() {
		if job := s.job; job != nil { // the script failed before result
			_ = job.Process.Kill()
			_ = job.Wait()
		}
	})
}

// signal NAME: sends INT, TERM, HUP or KILL to what start has started.
func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	usageOf(ts, !neg && len(args) == 1 && s.job != nil, "signal INT|TERM|HUP|KILL, after start")
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": os.Kill}
	ts.Check(s.job.Process.Signal(signals[args[0]]))
}

// says REGEXP: waits until what start has started has said this on stderr.
func cmdSays(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	usageOf(ts, !neg && len(args) == 1 && s.job != nil, "says REGEXP, after start")
	want := regexp.MustCompile(args[0])
	for end := time.Now().Add(patience); !want.MatchString(s.err.String()); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("it said only %q", s.err.String())
		}
	}
}

// result CODE: waits for what start has started; stdout and stderr are then its.
func cmdResult(ts *testscript.TestScript, neg bool, args []string) {
	s := sessionOf(ts)
	usageOf(ts, !neg && len(args) == 1 && s.job != nil, "result CODE, after start")
	job := s.job
	hung := time.AfterFunc(patience, func() { _ = job.Process.Kill() })
	err := job.Wait()
	hung.Stop()
	s.job = nil
	_, _ = io.WriteString(ts.Stdout(), s.out.String())
	_, _ = io.WriteString(ts.Stderr(), s.err.String())
	checkExit(ts, err, args[0])
}

func checkExit(ts *testscript.TestScript, err error, want string) {
	got := "0"
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = strconv.Itoa(exit.ExitCode()) // -1: killed by a signal
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %s, not %s", got, want)
	}
}

// commandIn makes a command that runs in the script's folder and environment.
func commandIn(ts *testscript.TestScript, args []string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = []string{
		"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "TMPDIR=" + ts.Getenv("TMPDIR"), "GORACE=" + raceOptions,
		"XDG_STATE_HOME=" + ts.Getenv("XDG_STATE_HOME"),
	}
	for _, name := range []string{"OPENAI_API_KEY", "HF_HOME", "HF_ENDPOINT", "HF_TOKEN", "HF_HUB_OFFLINE", "HTTP_PROXY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "OTEL_EXPORTER_OTLP_HEADERS"} {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	return cmd
}

// json FILE PATH [REGEXP]: the value at a path such as inferometer.outcomes.complete
// (a number is an index) is there and matches as a whole. ! json: it is not there, or doesn't.
// Of a file with several values the last one counts.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, len(args) == 2 || len(args) == 3, "[!] json FILE PATH [REGEXP]")
	v, ok := valueAt(ts, args[0], args[1])
	if ok && len(args) == 3 {
		ok = regexp.MustCompile("^(?:" + args[2] + ")$").MatchString(v)
	}
	if ok == neg {
		ts.Fatalf("%s of %s is %q", args[1], args[0], v)
	}
}

// jsonenv NAME FILE PATH: sets a variable to a value of a JSON file.
func cmdJSONEnv(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 3, "jsonenv NAME FILE PATH")
	v, ok := valueAt(ts, args[1], args[2])
	if !ok {
		ts.Fatalf("%s has no %s", args[1], args[2])
	}
	ts.Setenv(args[0], v)
}

// valueAt gives the text of a string, the JSON of anything else.
func valueAt(ts *testscript.TestScript, file, path string) (string, bool) {
	var root any
	d := json.NewDecoder(bytes.NewReader(pyjson.Strict([]byte(ts.ReadFile(file)))))
	d.UseNumber()
	for {
		var next any
		if err := d.Decode(&next); errors.Is(err, io.EOF) {
			break
		} else {
			ts.Check(err)
		}
		root = next
	}
	for more := true; more; {
		name, rest, split := strings.Cut(path, ".")
		switch at := root.(type) {
		case map[string]any:
			if _, ok := at[path]; ok { // a name with a dot in it, as p99.9_ttft_ms
				name, rest, split = path, "", false
			}
			v, ok := at[name]
			if !ok {
				return "", false
			}
			root = v
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(at) {
				return "", false
			}
			root = at[i]
		default:
			return "", false
		}
		path, more = rest, split
	}
	if s, ok := root.(string); ok {
		return s, true
	}
	b, err := json.Marshal(root)
	ts.Check(err)
	return string(b), true
}

// runs N: the state folder holds N runs; $RUN is the newest.
func cmdRuns(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "runs N")
	runs, err := filepath.Glob(filepath.Join(ts.Getenv("XDG_STATE_HOME"), "inferometer", "runs", "*"))
	ts.Check(err)
	if strconv.Itoa(len(runs)) != args[0] {
		ts.Fatalf("%d runs, not %s: %q", len(runs), args[0], runs)
	}
	if len(runs) > 0 {
		ts.Setenv("RUN", runs[len(runs)-1])
	}
}

// journal DIR FILE: writes the lines of a run's journal to a file.
func cmdJournal(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 2, "journal DIR FILE")
	b, err := unpack(filepath.Join(ts.MkAbs(args[0]), journal.FileName))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), b, 0o644))
}

// hidden SECRET…: no file under $WORK holds it, compressed or not, and the last
// command didn't print it. The files of the script itself are written by others.
func cmdHidden(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) > 0, "hidden SECRET…")
	texts := map[string][]byte{"stdout": []byte(ts.ReadFile("stdout")), "stderr": []byte(ts.ReadFile("stderr"))}
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		texts[path], err = unpack(path)
		return err
	}))
	for _, secret := range args {
		for name, text := range texts {
			if bytes.Contains(text, []byte(secret)) {
				ts.Fatalf("%q stands in %s", secret, name)
			}
		}
	}
}

func unpack(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".zst") {
		return b, err
	}
	d, err := zstd.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return io.ReadAll(d)
}

// countingProxy is a plain HTTP proxy.
type countingProxy struct {
	*httptest.Server
	requests atomic.Int64
}

// proxy: starts a proxy and sets $PROXY.
func cmdProxy(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 0, "proxy")
	p := &countingProxy{}
	transport := &http.Transport{}                                                                                       // without a proxy of its own
	forward := &httputil.ReverseProxy{Rewrite: func(*httputil.ProxyRequest) {}, FlushInterval: -1, Transport: transport} // the URL is whole already
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/completions") {
			p.requests.Add(1)
		}
		// net/http closes a request's body when the answer begins: it must have been read by then.
		body, err := io.ReadAll(r.Body)
		if ip := net.ParseIP(r.URL.Hostname()); err != nil || ip == nil || !ip.IsLoopback() {
			http.Error(w, "this proxy reaches nothing beyond this machine", http.StatusBadGateway) // and asks no DNS
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		forward.ServeHTTP(w, r)
	}))
	ts.Defer(func() {
		p.Close()
		transport.CloseIdleConnections()
	})
	sessionOf(ts).proxy = p
	ts.Setenv("PROXY", p.URL)
}

// proxied N: so many requests went through the proxy, after each other asked for.
func cmdProxied(ts *testscript.TestScript, neg bool, args []string) {
	usageOf(ts, !neg && len(args) == 1, "proxied N")
	if got := sessionOf(ts).proxy.requests.Swap(0); strconv.FormatInt(got, 10) != args[0] {
		ts.Fatalf("%d requests went through the proxy, not %s", got, args[0])
	}
}
