package aiperf

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inferometer/inferometer/test/realserver"
)

// run is one replay that both programs do against a simulator of their own.
type run struct {
	name     string
	traces   []string // of testdata/traces; none: all
	lanes    int
	seconds  int
	from, to float64  // shares of the recorded time between which a lane begins
	sim      []string // further flags of the simulator
}

var fixed = []string{"--ttft", "100ms", "--itl", "5ms", "--max-model-len", "4096"}

var runs = []run{
	{name: "begin", lanes: 15, seconds: 20, sim: fixed},
	{name: "inside", lanes: 15, seconds: 20, to: 1, sim: fixed},
	{name: "wrap", traces: []string{"a_chain", "b_joins", "e_interleaved"}, lanes: 5, seconds: 20, to: 1, sim: fixed},
	{name: "idle", traces: []string{"h_gap"}, lanes: 1, seconds: 30, sim: fixed},
	{name: "cache", lanes: 15, seconds: 20, sim: []string{"--engine", "batch", "--block-size", "16", "--max-model-len", "4096"}},
}

// folder copies the run's traces into a folder of their own.
func (r run) folder(t *testing.T) string {
	t.Helper()
	if r.traces == nil {
		return filepath.Join("testdata", "traces")
	}
	dir := t.TempDir()
	for _, name := range r.traces {
		raw, err := os.ReadFile(filepath.Join("testdata", "traces", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".json"), raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sent is one request of a run. Times are milliseconds from the first request that is measured.
type sent struct {
	Warm   bool    `json:"warm,omitempty"`
	Trace  string  `json:"trace"`
	Branch string  `json:"branch,omitempty"` // "sa:a1"; empty: the root
	Turn   int     `json:"turn"`
	Play   int     `json:"play"` // how often its trace was begun before, in any lane
	Lane   int     `json:"lane"`
	At     float64 `json:"at"`
	Due    float64 `json:"-"` // when it should have been sent; of AIPerf's only At is known
	End    float64 `json:"end"`
	Max    int     `json:"max"`
	Roles  string  `json:"roles"` // first letters of its messages' roles
	Prompt int     `json:"prompt"`
	Cached int     `json:"cached,omitempty"`
	Status int     `json:"status,omitempty"` // 0: 200
	Over   bool    `json:"over,omitempty"`   // told to be too long
}

// key is what a request is, whenever it was sent.
func (s sent) key() string {
	return fmt.Sprintf("%s %s turn %d play %d warm %t", s.Trace, s.Branch, s.Turn, s.Play, s.Warm)
}

// replay is a run as it was.
type replay struct {
	Lanes   int     `json:"lanes"`
	Seconds int     `json:"seconds"`
	Jumps   int     `json:"jumps"`   // of the idle cap, while measured
	Skipped float64 `json:"skipped"` // seconds
	Sent    []sent  `json:"-"`
}

func (r replay) write(t *testing.T, path string) {
	t.Helper()
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for _, v := range append([]any{r}, anys(r.Sent)...) {
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

func anys(list []sent) (out []any) {
	for _, s := range list {
		out = append(out, s)
	}
	return out
}

func readReplay(t *testing.T, name string) (r replay) {
	t.Helper()
	for i, line := range lines(t, filepath.Join("testdata", "runs", name+".jsonl")) {
		if i == 0 {
			unmarshal(t, line, &r)
			continue
		}
		var s sent
		unmarshal(t, line, &s)
		s.Due = s.At
		r.Sent = append(r.Sent, s)
	}
	return r
}

func unmarshal(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v: %.200s", err, raw)
	}
}

func lines(t *testing.T, path string) (out [][]byte) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scan := bufio.NewScanner(f)
	scan.Buffer(nil, 64<<20)
	for scan.Scan() {
		out = append(out, bytes.Clone(scan.Bytes()))
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// record is what the tests take from a line of AIPerf's raw export.
type record struct {
	Metadata struct {
		ID           string `json:"x_request_id"`
		Correlation  string `json:"x_correlation_id"`
		Root         string `json:"root_correlation_id"`
		Conversation string `json:"conversation_id"`
		Turn         int    `json:"turn_index"`
		Start        int64  `json:"request_start_ns"`
		End          int64  `json:"request_end_ns"`
		Phase        string `json:"benchmark_phase"`
		Overflow     bool   `json:"context_overflow_skip"`
		Cancelled    bool   `json:"was_cancelled"`
	} `json:"metadata"`
	Headers map[string]string `json:"request_headers"`
	Status  int               `json:"status"`
	Marker  string            `json:"cache_bust_marker"`
	Payload struct {
		Max      int  `json:"max_completion_tokens"`
		Ignore   bool `json:"ignore_eos"`
		Messages []struct {
			Role    string `json:"role"`
			Content string `json:"content"`
		} `json:"messages"`
	} `json:"payload"`
}

// truth is what the simulator says of a request.
type truth struct {
	ID     string `json:"id"`
	Prompt int    `json:"prompt_tokens"`
	Cached int    `json:"cached_tokens"`
}

var idle = regexp.MustCompile(`Global system-idle cap summary: limit=10s, jumps=(\d+), skipped=([0-9.]+)s`)

// readAIPerf reads what AIPerf left behind, and what the simulator saw of it.
func readAIPerf(t *testing.T, r run, dir, truthFile string) replay {
	t.Helper()
	seen := map[string]truth{}
	for _, line := range lines(t, truthFile) {
		var one truth
		unmarshal(t, line, &one)
		seen[one.ID] = one
	}
	var result struct {
		Info struct {
			Benchmark string `json:"benchmark_id"`
		} `json:"run_info"`
	}
	raw, err := os.ReadFile(filepath.Join(dir, "profile_export_aiperf.json"))
	if err != nil {
		t.Fatal(err)
	}
	unmarshal(t, raw, &result)
	out := replay{Lanes: r.lanes, Seconds: r.seconds}

	logged, err := os.ReadFile(filepath.Join(dir, "logs", "aiperf.log"))
	if err != nil {
		t.Fatal(err)
	}
	if all := idle.FindAllSubmatch(logged, -1); len(all) == 2 { // of the warm-up and of the measurement
		out.Jumps, _ = strconv.Atoi(string(all[1][1]))
		out.Skipped, _ = strconv.ParseFloat(string(all[1][2]), 64)
	} else {
		t.Errorf("AIPerf's log tells %d times what the idle cap did", len(all))
	}

	var records []record
	for _, line := range lines(t, filepath.Join(dir, "profile_export_raw.jsonl")) {
		var rec record
		unmarshal(t, line, &rec)
		records = append(records, rec)
	}
	slices.SortFunc(records, func(a, b record) int { return cmp.Compare(a.Metadata.Start, b.Metadata.Start) })
	first := int64(0)
	for _, rec := range records {
		if rec.Metadata.Phase == "profiling" {
			first = rec.Metadata.Start
			break
		}
	}
	plays := map[string][2]int{} // by marker: play and lane
	branches := map[string]string{}
	for _, rec := range records {
		m := rec.Metadata
		trace, branch, _ := strings.Cut(m.Conversation, "::")
		place, ok := plays[rec.Marker]
		if !ok {
			place, ok = placeOf(rec.Marker, result.Info.Benchmark, trace, r.lanes)
			if !ok {
				t.Fatalf("no play and no lane of %s has the marker %q", trace, rec.Marker)
			}
			plays[rec.Marker] = place
		}
		if was, ok := branches[m.Correlation]; ok && was != m.Root+m.Conversation {
			t.Errorf("X-Correlation-ID %s is of two branches", m.Correlation)
		}
		branches[m.Correlation] = m.Root + m.Conversation
		var roles strings.Builder
		marked := false
		for _, msg := range rec.Payload.Messages {
			roles.WriteByte(msg.Role[0])
			if msg.Role == "user" && !marked {
				marked = true
				if !strings.HasPrefix(msg.Content, rec.Marker) {
					t.Errorf("%s turn %d: no marker before its first user message", m.Conversation, m.Turn)
				}
			}
		}
		if !rec.Payload.Ignore {
			t.Errorf("%s turn %d: ignore_eos is not set", m.Conversation, m.Turn)
		}
		s := sent{
			Warm: m.Phase == "warmup", Trace: trace, Branch: branch, Turn: m.Turn, Play: place[0], Lane: place[1],
			At: ms(m.Start - first), Due: ms(m.Start - first), End: ms(m.End - first), Max: rec.Payload.Max, Roles: roles.String(),
			Prompt: seen[m.ID].Prompt, Cached: seen[m.ID].Cached, Over: m.Overflow,
		}
		if rec.Status != 200 {
			s.Status = rec.Status
		}
		if m.Cancelled {
			s.Status = -1
		}
		out.Sent = append(out.Sent, s)
	}
	return out
}

func ms(ns int64) float64 { return math.Round(float64(ns)/1e5) / 10 }

// placeOf finds the play and the lane that a marker is made of.
func placeOf(marker, benchmark, trace string, lanes int) ([2]int, bool) {
	for play := range 1000 {
		for lane := range lanes {
			sum := sha256.Sum256(fmt.Appendf(nil, "%s:%d:%d:%s", benchmark, play, lane, trace))
			if marker == fmt.Sprintf("[rid:%x]\n\n", sum[:6]) {
				return [2]int{play, lane}, true
			}
		}
	}
	return [2]int{}, false
}

// AIPerf still sends what the kept runs say. When it sends is the machine's matter too, so that only what was sent,
// and in which order a branch did, is held against them.
func TestRealRuns(t *testing.T) {
	aiperf := realserver.Lines(t, "INFEROMETER_AIPERF", 1, how)[0]
	program := realserver.Build(t)
	for _, r := range runs {
		t.Run(r.name, func(t *testing.T) {
			dir := t.TempDir()
			got := runAIPerf(t, r, aiperf, program, dir)
			path := filepath.Join("testdata", "runs", r.name+".jsonl")
			if *update {
				got.write(t, path)
			}
			compareSent(t, readReplay(t, r.name), got)
		})
	}
}

// tokenizer is a folder that both AIPerf and the simulator count with.
func tokenizer(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cmp.Or(os.Getenv("INFEROMETER_CACHE"), filepath.Join(cache, "inferometer")), "tokenizers", "qwen2_5")
	if _, err := os.Stat(filepath.Join(dir, "tokenizer.json")); err != nil {
		t.Skip("tokenizer qwen2_5 is not there: fetch it with scripts/tokenizers.sh qwen2_5")
	}
	return dir
}

func (r run) start(t *testing.T, program, truthFile string) *realserver.Server {
	t.Helper()
	port := realserver.FreePort(t)
	return realserver.Start(t, port, time.Minute, nil, program,
		append([]string{"sim", "--listen", "127.0.0.1:" + port, "--tokenizer", tokenizer(t), "--truth", truthFile}, r.sim...)...)
}

func runAIPerf(t *testing.T, r run, aiperf, program, dir string) replay {
	t.Helper()
	truthFile := filepath.Join(dir, "truth.jsonl")
	server := r.start(t, program, truthFile)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	art := filepath.Join(dir, "art")
	cmd := exec.CommandContext(ctx, aiperf, "profile", "--scenario", "inferencex-agentx-mvp", "--unsafe-override",
		"--url", server.Base, "--endpoint-type", "chat", "--streaming", "--model", "sim", "--tokenizer", tokenizer(t),
		"--custom-dataset-type", "weka_trace", "--input-file", r.folder(t), "--concurrency", strconv.Itoa(r.lanes),
		"--benchmark-duration", strconv.Itoa(r.seconds), "--benchmark-grace-period", "2", "--random-seed", "42",
		"--trajectory-start-min-ratio", fmt.Sprint(r.from), "--trajectory-start-max-ratio", fmt.Sprint(r.to),
		"--use-server-token-count", "--no-gpu-telemetry", "--workers-max", "1", "--ui", "none", "--export-level", "raw",
		"--output-artifact-dir", art)
	cmd.Env = append(os.Environ(), "AIPERF_DATASET_WEKA_PARALLEL_WORKERS=1", "AIPERF_HTTP_X_SESSION_ID_FROM_CORRELATION_ID=true")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server.Kill()
	return readAIPerf(t, r, art, truthFile)
}

// compareSent holds what was sent in two runs against each other, as far as it doesn't hang on the machine: the end
// of a run comes for each a little earlier or later, so the last requests may be missing on a side.
func compareSent(t *testing.T, want, got replay) {
	t.Helper()
	until := float64(want.Seconds)*1000 - 3000
	of := map[string]sent{}
	for _, s := range got.Sent {
		of[s.key()] = s
	}
	for _, w := range want.Sent {
		if w.At > until {
			continue
		}
		g, ok := of[w.key()]
		if !ok {
			t.Errorf("not sent: %s", w.key())
			continue
		}
		if g.Max != w.Max || g.Roles != w.Roles || g.Lane != w.Lane || g.Over != w.Over || g.Status != w.Status {
			t.Errorf("%s: %+v, then it was %+v", w.key(), g, w)
		}
	}
}
