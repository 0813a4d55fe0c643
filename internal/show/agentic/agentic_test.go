package agentic

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/ordered"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	ms     = int64(1e6)
	second = int64(1e9)
	zero   = int64(1_794_700_000_123_456_789)
)

// madeRun is a run of two recorded jobs, one with a sub-agent, on two lanes: primers before the start, an error, a prompt
// that is too long, and a request that the end cut.
func madeRun(t *testing.T, edit func(*journal.Run)) (folder string) {
	t.Helper()
	folder = t.TempDir()
	w, err := journal.Create(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	run := &journal.Run{
		Schema: journal.Schema, Version: "test", StartUnixNs: zero, Zone: "+02:00", Command: []string{"inferometer", "bench", "serve"}, Clock: "kernel",
		Spec: json.RawMessage(`{"version":1,"dataset":{"name":"trace","path":"traces.jsonl","trace_loop":"closed"},"load":{"duration":"45s","seed":42,"max_conversations":2}}`),
		Options: journal.Options{
			Backend: "openai-chat", BaseURL: "http://127.0.0.1:8000", Endpoint: "/v1/chat/completions", ModelID: "sim", Dataset: "trace", Seed: 42,
			MaxConversations: 2, IgnoreEOS: true, Pace: "closed", TokenizerSource: "none", Rules: "agentx",
			Metadata: []journal.Pair{{"hw", "h200"}, {"framework", "vllm"}, {"tp", "2"}},
		},
	}
	said, err := journal.OptionsOf(run.Spec)
	if err != nil {
		t.Fatal(err)
	}
	run.Options.Workload = said.Workload
	if edit != nil {
		edit(run)
	}
	if err := w.Run(run); err != nil {
		t.Fatal(err)
	}
	for _, r := range madeRequests() {
		w.AppendWaiting(journal.AppendRequest(nil, &r))
	}
	for _, c := range []journal.Conversation{
		{Number: 1, Turns: 4, Sent: 4, Complete: 3, Outcome: journal.ConversationFailed, Error: "turn 4: http_5xx", End: 9 * second, Trace: "s1", Play: 1, Branches: []journal.Branch{{Name: "root", Kind: "root"}, {Name: "sa:explore_001", Kind: "Explore"}}},
		{Number: 2, Turns: 5, Sent: 3, Skipped: 2, Complete: 1, Outcome: journal.ConversationAbandoned, End: 12 * second, Trace: "s2", Play: 1},
	} {
		if err := w.Conversation(&c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(&journal.End{At: 12 * second, Sent: 7}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	m := journal.NewMetricsWriter(filepath.Join(folder, journal.MetricsName))
	for i, n := range []int64{-20, 0, 5, 12} {
		if err := m.Write(&journal.MetricsText{At: n * second, URL: "http://127.0.0.1:8000/metrics", Text: madeMetrics(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return folder
}

// madeMetrics are vLLM's after so many stages. Those before the start count the primers.
func madeMetrics(stage int) string {
	text := ""
	counter := func(name, labels string, v int) {
		text += fmt.Sprintf("# TYPE vllm:%s_total counter\nvllm:%s_total{engine=\"0\"%s} %d\n", name, name, labels, v)
	}
	counter("prompt_tokens", "", 1000*stage)
	counter("generation_tokens", "", 100*stage)
	counter("prefix_cache_queries", "", 1000*stage)
	counter("prefix_cache_hits", "", 600*stage)
	counter("prompt_tokens_by_source", `,source="local_compute"`, 400*stage)
	counter("prompt_tokens_by_source", `,source="local_cache_hit"`, 600*stage)
	return text + fmt.Sprintf("# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc{engine=\"0\"} 0.%d\n", stage+1)
}

func madeRequests() (list []journal.Request) {
	add := func(conversation, branch, turn int, sent int64, tokens int, edit func(*journal.Request)) {
		r := journal.Request{
			Index: len(list), ID: fmt.Sprintf("r-%d", len(list)), Conversation: conversation, Branch: branch, Turn: turn, Due: sent, Released: sent + ms/5, Sent: sent + ms/4, Headers: sent + 50*ms,
			Outcome: journal.Complete, Status: 200, PromptTokens: 100 * turn, OutputTokens: tokens, UsagePrompt: 100*turn + 7, UsageOutput: tokens, UsageCached: 64 * (turn - 1), CachedKnown: true,
			Planned: 64 * (turn - 1), PlannedOf: 64 * (turn + 1), FinishReason: "length",
		}
		for i := range tokens {
			gap := (5 + int64(i%3)) * ms
			if i == 0 {
				gap = (80 + 3*int64(len(list))) * ms
			}
			r.Events.At, r.Events.Kind = append(r.Events.At, gap), append(r.Events.Kind, journal.EventChoices|journal.EventText)
			r.End = r.Sent + gap
		}
		r.End = r.Sent
		for _, gap := range r.Events.At {
			r.End += gap
		}
		r.End += ms
		if edit != nil {
			edit(&r)
		}
		list = append(list, r)
	}
	fail := func(o journal.Outcome, status int, words string) func(*journal.Request) {
		return func(r *journal.Request) {
			r.Outcome, r.Status, r.Error, r.Events, r.UsageOutput, r.End = o, status, words, journal.Events{}, 0, r.Sent+20*ms
		}
	}
	add(2, 0, 2, -3*second, 1, func(r *journal.Request) { r.Warmup = true })
	add(1, 0, 1, 100*ms, 40, nil)
	add(1, 1, 2, 1500*ms, 20, nil)
	add(2, 0, 3, 1700*ms, 33, nil)
	add(1, 0, 3, 4200*ms, 12, nil)
	add(2, 0, 4, 5000*ms, 30, fail(journal.HTTP4xx, 400, "HTTP 400: maximum context length is 8192 tokens"))
	add(1, 0, 4, 8900*ms, 30, fail(journal.HTTP5xx, 500, "HTTP 500: <b>out of memory</b>"))
	add(2, 0, 5, 11000*ms, 30, fail(journal.Cancelled, 200, "the run ended"))
	return list
}

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

func aggregateOf(t *testing.T, folder string) []byte {
	t.Helper()
	r, err := Read(folder, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteAggregate(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What is written of a run whose every number is known.
func TestGolden(t *testing.T) {
	folder, dir := madeRun(t, nil), t.TempDir()
	if err := WriteAIPerf(dir, folder, ""); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{requestsName, profileName, serverName} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, b)
	}
	golden(t, "aggregate.json", aggregateOf(t, folder))
}

// Numbers that a person can follow: four successes of 105 tokens, from 100.25 ms to the last end.
func TestNumbers(t *testing.T) {
	r, err := Read(madeRun(t, nil), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	total := r.totals()
	if total.completed != 4 || total.failed != 1 || r.overflow != 1 || r.cut != 1 || total.out != 40+20+33+12 || total.in != 107+207+307+307 {
		t.Errorf("%+v, %d too long, %d cut", total, r.overflow, r.cut)
	}
	if got := total.first - zero; got != 100*ms+ms/4 {
		t.Errorf("it starts at %d", got)
	}
	if r.trees != 2 || r.children.spawned != 1 || r.children.completed != 1 {
		t.Errorf("%d trees, children %+v", r.trees, r.children)
	}
	s, err := r.readServer(r.begin())
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := s.sum("vllm:prompt_tokens"); got != 2000 { // 3000, without the 1000 of the primers
		t.Errorf("%v prompt tokens of the server", got)
	}
}

// Our aggregate is what InferenceX's script makes of our files, key by key and digit by digit: but for the lengths that were expected, which
// it can't know without the corpus. testdata/theirs.json is its output, written by TestRealInferenceX with -update.
func TestAsInferenceX(t *testing.T) {
	theirs, err := os.ReadFile(filepath.Join("testdata", "theirs.json"))
	if err != nil {
		t.Fatal(err)
	}
	compareAggregates(t, theirs, aggregateOf(t, madeRun(t, nil)))
}

func compareAggregates(t *testing.T, theirs, ours []byte) {
	t.Helper()
	without := func(b []byte) string {
		o, err := ordered.Read(bytes.NewReader(b), ordered.Limits{Depth: 100})
		if err != nil {
			t.Fatal(err)
		}
		top := o.(ordered.Object)
		requests := top.Get("request_metrics").(ordered.Object)
		tokens := requests.Get("tokens").(ordered.Object)
		tokens.Set("output_expected", nil)
		out, err := json.MarshalIndent(top, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if diff := cmp.Diff(without(theirs), without(ours)); diff != "" {
		t.Errorf("theirs (-), ours (+):\n%s", diff)
	}
}

// InferenceX's own scripts take our files: INFEROMETER_INFERENCEX is the folder utils of a checkout.
func TestRealInferenceX(t *testing.T) {
	utils := os.Getenv("INFEROMETER_INFERENCEX")
	if utils == "" {
		t.Skip("InferenceX's scripts are not run: INFEROMETER_INFERENCEX is not set (the folder utils of a checkout)")
	}
	folder, dir := madeRun(t, nil), t.TempDir()
	if err := WriteAIPerf(filepath.Join(dir, "aiperf_artifacts"), folder, ""); err != nil {
		t.Fatal(err)
	}
	python := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "python3", append([]string{"-m"}, args...)...)
		cmd.Dir = filepath.Dir(utils)
		cmd.Env = append(os.Environ(), "RESULT_FILENAME=agg", "RESULT_DIR="+dir, "AGENTIC_OUTPUT_DIR="+dir, "KV_OFFLOADING=none", "TP=2", "CONC=2", "MODEL=sim", "RUNNER_TYPE=h200", "FRAMEWORK=vllm", "HF_HOME="+dir)
		b, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, b)
		}
		return string(b)
	}
	python("utils.agentic.aggregation.process_agentic_result")
	theirs, err := os.ReadFile(filepath.Join(dir, "agg.json"))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "theirs.json", append(theirs, '\n'))
	compareAggregates(t, theirs, aggregateOf(t, folder))
	said := python("utils.agentic.validation.validate_agentic_result", filepath.Join(dir, "aiperf_artifacts"), "--failed-request-threshold", "0.25")
	if !strings.Contains(said, "1/5 = 20.000%") {
		t.Errorf("it validates %s", said)
	}
	if err := os.WriteFile(filepath.Join(dir, "power.py"), []byte(powerScript), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "python3", filepath.Join(dir, "power.py"), dir)
	cmd.Dir, cmd.Env = filepath.Dir(utils), append(os.Environ(), "PYTHONPATH="+filepath.Dir(utils))
	b, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	var window struct {
		Duration  float64 `json:"duration"`
		Completed int     `json:"completed"`
	}
	var agg struct {
		Metrics struct {
			Throughput struct {
				Seconds float64 `json:"duration_seconds"`
			} `json:"throughput"`
		} `json:"request_metrics"`
	}
	if err := errorsOf(json.Unmarshal(b, &window), json.Unmarshal(theirs, &agg)); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	// Its window is in microseconds.
	if d := window.Duration - agg.Metrics.Throughput.Seconds; d > 1e-5 || d < -1e-5 || window.Completed != 4 {
		t.Errorf("power is taken over %v s, rates over %v s", window.Duration, agg.Metrics.Throughput.Seconds)
	}
}

// powerScript prints the time over which InferenceX integrates power.
const powerScript = `import json, sys
from pathlib import Path
from utils.agentic.aggregation.power_adapter import build_power_window
window, reasons = build_power_window(Path(sys.argv[1]))
assert window, reasons
print(json.dumps(window))
`

func errorsOf(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// aiperfScript reads the files with AIPerf's own classes, and prints what it found.
const aiperfScript = `import sys
from pathlib import Path
from aiperf.common.models.export_models import JsonExportData
from aiperf.common.models.record_models import MetricRecordInfo
from aiperf.common.models.server_metrics_models import ServerMetricsExportData
from aiperf.plot.core.data_loader import DataLoader

folder = Path(sys.argv[1])
p = JsonExportData.model_validate_json((folder / "profile_export_aiperf.json").read_text())
print("requests", p.request_count.avg, "errors", p.error_request_count.avg, "seed", p.run_info.random_seed)
print("ttft", p.time_to_first_token.p50, "itl", p.inter_token_latency.avg, "output", p.output_token_throughput.avg)
print("window", p.start_time.isoformat(), p.end_time.isoformat(), "branches", p.branch_stats.children_spawned, p.branch_stats.graphs_admitted)
print("concurrency", p.input_config.phases[0].concurrency, "model", p.input_config.models.items[0].name)
print("metadata", p.metadata["scenario"], p.metadata["submission_valid"], len(p.metadata["submission_invalid_reasons"]))
for line in (folder / "profile_export.jsonl").read_text().splitlines():
    r = MetricRecordInfo.model_validate_json(line)
    m = r.metadata
    print(m.benchmark_phase, m.conversation_id, m.turn_index, m.source_kind, m.agent_depth, len(r.metrics), r.error.type if r.error else None)
s = ServerMetricsExportData.model_validate_json((folder / "server_metrics_export.json").read_text())
print("server", sorted(s.metrics), s.metrics["vllm:prompt_tokens"].series[0].stats.total)
run = DataLoader().load_run(folder)
print("plot", run.metadata.model, run.metadata.concurrency, run.metadata.request_count, len(run.requests))
`

// AIPerf's own readers take our files: INFEROMETER_AIPERF is the program of version 0.13.0, as scripts/aiperf.sh names it.
func TestRealAIPerf(t *testing.T) {
	program := os.Getenv("INFEROMETER_AIPERF")
	if program == "" {
		t.Skip("AIPerf's readers are not run: INFEROMETER_AIPERF is not set (scripts/aiperf.sh gives it)")
	}
	python := filepath.Join(filepath.Dir(program), "python")
	dir := t.TempDir()
	if err := WriteAIPerf(dir, madeRun(t, nil), ""); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "read.py")
	if err := os.WriteFile(script, []byte(aiperfScript), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, script, dir)
	var said bytes.Buffer
	cmd.Stderr = &said
	b, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	golden(t, "aiperf.txt", b)
}

// A hostile journal: names and numbers from outside are data, and files stay JSON.
func TestHostile(t *testing.T) {
	bad := "\x1b[2J\u202e</script>\"\n\x00" + strings.Repeat("long ", 1000)
	folder := madeRun(t, func(run *journal.Run) {
		run.Options.ModelID, run.Options.BaseURL, run.Zone = bad, bad, bad
		run.Options.Metadata = []journal.Pair{{"tp", "99999999999999999999"}, {"hw", bad}, {"pp", "-1"}}
		run.StartUnixNs = 1<<63 - 1 - 200*24*3600*second
	})
	dir := t.TempDir()
	if err := WriteAIPerf(dir, folder, "mlperf-agentic"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{profileName, serverName} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !json.Valid(b) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if b := aggregateOf(t, folder); !json.Valid(b) || bytes.ContainsAny(b, "\x1b\x00") {
		t.Errorf("%.300q", b)
	}
}

// A run in which nothing was answered has no numbers to write, and a folder that a run left is not mixed with it.
func TestNothing(t *testing.T) {
	folder := t.TempDir()
	w, err := journal.Create(filepath.Join(folder, journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Run(&journal.Run{Schema: journal.Schema, StartUnixNs: zero, Clock: "user"}); err != nil {
		t.Fatal(err)
	}
	if err := errorsOf(w.End(&journal.End{}), w.Close()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, serverName), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteAIPerf(dir, folder, ""); err == nil || !strings.Contains(err.Error(), "nothing to write") {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, requestsName)); err == nil {
		t.Error("a file of requests is there")
	}
}
