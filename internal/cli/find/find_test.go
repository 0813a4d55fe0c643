package find

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/cli/command"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/plan/plantest"
	"github.com/inferometer/inferometer/internal/spec"
)

// searched runs the command against a played server. drain may be nil.
func searched(t *testing.T, url string, server *plantest.Server, drain <-chan struct{}, args ...string) *said {
	t.Helper()
	s := &said{t: t}
	set, o := Flags()
	o.instead = server.Run
	args = append([]string{"--base-url", url, "--random-input-len", "8", "--random-output-len", "16", "--skip-tokenizer-init"}, args...)
	if done, err := command.Parse(s.streams(), set, args); done || err != nil {
		t.Fatal(done, err)
	}
	if err := o.validate(set); err != nil {
		t.Fatal(err)
	}
	s.ended(o.until(t.Context(), drain, s.streams(), set, args))
	return s
}

// found reads find.json.
func found(t *testing.T, folder string) *find.Report {
	t.Helper()
	r, err := find.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// eight answers so many at a time, each in 320 ms: of 16 at once half wait for as long.
func eight() *plantest.Server {
	return &plantest.Server{Slots: 8, TTFT: 20 * time.Millisecond, ITL: 20 * time.Millisecond, Tokens: 16, Spread: 0.3}
}

// The median of TTFT reaches its limit when about half of the requests wait: that is found and confirmed,
// and found again in the folder without a single probe.
func TestFindTheEdge(t *testing.T) {
	t.Parallel()
	url, server, out := answering(t), eight(), filepath.Join(t.TempDir(), "found")
	args := []string{"--vary", "concurrency", "--from", "4", "--slo", "median_ttft<=200ms and failed<5%", "--probe", "3s", "--confirm", "18s", "--tolerance", "20%", "--output", out}
	s := searched(t, url, server, nil, args...)
	s.exit(command.ExitDone, "")
	s.stdout(`^- It holds up to \*\*concurrency 1[1-5]\*\* \(confirmed by a run of 18 s\)`, `^- What binds: median_ttft<=200ms\.`,
		`^- Knee of throughput against latency: concurrency `, `^- Verdict on it: VALID\.$`, `^\| 4 +\| holds +\| median_ttft<=200ms \d+ %, failed<5% 0 % +\|`)
	s.stderr(`^1 concurrency 4: holds, median_ttft<=200ms at \d+ % \(bracket, `)
	for _, file := range []string{"find.md", "result.json", "probes/001/run/journal.jsonl.zst"} {
		if _, err := os.Stat(filepath.Join(out, file)); err != nil {
			t.Error(err)
		}
	}
	r := found(t, out)
	if a := r.Results[0].Answer; r.Vary != "concurrency" || !a.Confirmed || !(*a.Low <= *a.X && *a.X <= *a.High) || r.Results[0].Verdict != "VALID" {
		t.Errorf("%+v", r)
	}
	for i, asked := range server.Played {
		if asked.Seed != server.Played[0].Seed+i {
			t.Errorf("probe %d has the seed %d, the first %d: its prompts were seen before", i+1, asked.Seed, server.Played[0].Seed)
		}
	}

	played := len(server.Played)
	s = searched(t, url, server, nil, args...)
	s.exit(command.ExitDone, "")
	s.stderr(`going on after \d+ probes of an earlier run, of \d{4}-\d\d-\d\d \d\d:\d\d`)
	s.noStderr(`concurrency 4: holds`)
	s.stdout(`^- Nothing was measured now: all probes are those of an earlier run, of \d{4}-.*; --fresh measures again\.$`)
	// The same as JSON, with the folder that it is in.
	s = searched(t, url, server, nil, append(args, "--format", "json")...)
	s.stdout(`^\{"folder":"/.*/found","schema":1,.*"vary":"concurrency",.*"confirmed":true`)
	s.noStdout(`^- `)
	if !json.Valid(s.out.Bytes()) {
		t.Error("that is no JSON")
	}
	// Another search does not mix with it.
	s = searched(t, url, server, nil, "--slo", "median_ttft<=200ms", "--output", out)
	s.exit(command.ExitNothing, `holds another search: give another --output, or --fresh to forget it`)
	if len(server.Played) != played {
		t.Errorf("%d probes more", len(server.Played)-played)
	}
	s = searched(t, url, server, nil, append(args, "--fresh")...)
	s.exit(command.ExitDone, "")
	if len(server.Played) != 2*played {
		t.Errorf("--fresh, and %d probes, not %d", len(server.Played)-played, played)
	}
}

// The number of conversations is varied for a dataset that has some, and for no other.
func TestFindConversations(t *testing.T) {
	t.Parallel()
	for dataset, want := range map[string]string{"trace": "", "random": "has nothing to bound: the dataset random has no conversations"} {
		set, o := Flags()
		args := []string{"--base-url", "http://127.0.0.1:1", "--backend", "openai-chat", "--vary", "conversations", "--slo", "p95_job<=10min", "--dataset-name", dataset}
		if dataset == "trace" {
			args = append(args, "--dataset-path", "../../../testdata/traces/weka")
		}
		if done, err := command.Parse((&said{t: t}).streams(), set, args); done || err != nil {
			t.Fatal(done, err)
		}
		if err := o.validate(set); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", dataset, err)
		}
	}
}

// A capacity map of a server that keeps the SLO at the highest load of the range.
func TestFindMap(t *testing.T) {
	t.Parallel()
	server, out := &plantest.Server{TTFT: 20 * time.Millisecond, ITL: time.Millisecond, Spread: 0.1}, t.TempDir()
	s := searched(t, answering(t), server, nil, "--from", "2", "--to", "4", "--slo", "median_ttft<=400ms", "--probe", "500ms", "--confirm", "1s", "--map", "output-len=2,4", "--output", out)
	s.exit(command.ExitDone, "")
	s.stderr(`^output-len 2$`, `^output-len 4$`)
	s.stdout(`^\| output-len \| rate +\|`, `^\| 2          \| \*\*4\*\* \| above 4       \|`, `^\| 4          \| \*\*4\*\* \| above 4       \|`, `^## output-len 4`, `Note: it holds at the highest load of the range`)
	// What takes a small part of its limit does not bind, and an interval with one end is told in words.
	s.stdout(`^- The edge lies above 4: no rate that was tried was surely too much\.`, `^- Nothing binds: at 4 median_ttft<=400ms is at 5 % of its limit\.`)
	s.noStdout(`What binds|95 %: from`)
	// A probe is as long as it takes to send some requests, however short --probe is.
	if first := server.Played[0]; first.Duration < 5*time.Second || first.RunDir != filepath.Join(out, "output-len-2", "probes", "001", "run") {
		t.Errorf("the first probe takes %v and is in %s", first.Duration, first.RunDir)
	}
}

// Nothing holds: that is an answer too, with exit code 1.
func TestFindNothing(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	s := searched(t, answering(t), eight(), nil, "--from", "2", "--slo", "median_ttft<=1ms", "--output", out)
	s.exit(command.ExitNothing, `^the SLO holds at no load that was tried$`)
	s.stdout(`^- It holds at no rate that was tried\.`, `^- The edge lies below 2\.`)
	if a := found(t, out).Results[0].Answer; a.X != nil || a.High == nil {
		t.Errorf("%+v", a)
	}
}

// A server that fails all requests of the first probe is not searched.
func TestFindAServerThatFails(t *testing.T) {
	t.Parallel()
	server := eight()
	server.Fails = func(int) bool { return true }
	s := searched(t, answering(t), server, nil, "--from", "50", "--slo", "p99_ttft<=1s", "--output", t.TempDir())
	s.exit(command.ExitNothing, `^probe rate 50: no request completed: \d+ of \d+ http_5xx: HTTP 500: .*bench.log\)$`)
	if len(server.Played) != 1 {
		t.Errorf("%d probes", len(server.Played))
	}
}

// Ctrl-C: what is known so far is shown, with exit code 3, and the same command goes on there.
func TestFindIsStopped(t *testing.T) {
	t.Parallel()
	url, server, out := answering(t), eight(), t.TempDir()
	drain := make(chan struct{})
	server.Ends = func(*spec.Spec) error {
		if len(server.Played) == 3 {
			close(drain)
		}
		return nil
	}
	args := []string{"--vary", "concurrency", "--from", "2", "--slo", "median_ttft<=200ms", "--tolerance", "20%", "--probe", "3s", "--confirm", "18s", "--output", out}
	s := searched(t, url, server, drain, args...)
	s.exit(command.ExitPartial, `^interrupted; the same command goes on where it stopped$`)
	s.stdout(`^- It holds at least up to \*\*concurrency [\d.]+\*\* \(not confirmed\)`, `^- Note: the search was interrupted; the same command goes on where it stopped\.`)
	if _, err := os.Stat(filepath.Join(out, find.FileName)); err == nil {
		t.Error("an answer is written that is none")
	}
	s = searched(t, url, server, nil, args...)
	s.exit(command.ExitDone, "")
	s.stderr(`^going on after 2 probes of an earlier run`, `^3 concurrency `)
	s.noStderr(`^[12] concurrency `)
	s.stdout(`^- 2 of the \d+ probes are those of an earlier run`)
	if r := found(t, out).Results[0]; !r.Answer.Confirmed || strings.Contains(r.Answer.Reason, "interrupted") {
		t.Errorf("%+v", r.Answer)
	}
}
