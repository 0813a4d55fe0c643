package rules

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/testfiles"
)

var update = flag.Bool("update", false, "write docs/reference/rules.md")

// specOf is a Spec with these keys, as in load.seed, whose values are JSON.
func specOf(t *testing.T, keys map[string]string) json.RawMessage {
	t.Helper()
	sections := map[string]map[string]json.RawMessage{}
	for key, value := range keys {
		section, name, _ := strings.Cut(key, ".")
		if sections[section] == nil {
			sections[section] = map[string]json.RawMessage{}
		}
		sections[section][name] = json.RawMessage(value)
	}
	b, err := json.Marshal(sections)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const fullCorpus = "29b6a19e751ff5230771519aab755f80a0f43a4ba9cf96b72d3a6a437ec99276"

// kept is a run that keeps the rules of agentx.
func kept() map[string]string {
	return map[string]string{
		"dataset.trace_loop": `"closed"`, "dataset.trace_speed": "1", "dataset.trace_max_input": "0", "dataset.history": `"recorded"`,
		"dataset.trace_cache_bust": `"marker"`, "dataset.trace_idle_cap": `"10s"`, "dataset.trace_tree_idle_cap": `"0s"`,
		"dataset.trace_start_min": "0", "dataset.trace_start_max": "1", "dataset.trace_warm_turns": "0", "dataset.trace_trees": "0",
		"dataset.trace_split": "true", "dataset.trace_joins": `"at-once"`, "dataset.trace_spawns": `"at-once"`, "dataset.trace_barriers": "true",
		"dataset.trace_failed": `"go-on"`, "dataset.trace_overflow": `"end-branch"`, "load.duration": `"30m0s"`,
	}
}

func keptX() map[string]string {
	keys := kept()
	maps.Copy(keys, map[string]string{
		"dataset.trace_tree_idle_cap": `"5m0s"`, "dataset.trace_start_min": "0.25", "dataset.trace_start_max": "0.75", "dataset.trace_warm_turns": "10", "load.duration": `"1h0m0s"`,
	})
	return keys
}

func keptM() map[string]string {
	return map[string]string{
		"dataset.trace_loop": `"closed"`, "dataset.trace_speed": "1", "dataset.history": `"recorded"`, "dataset.trace_cache_bust": `"salt"`, "dataset.trace_failed": `"end-conversation"`,
		"request.temperature": "1", "request.top_p": "0.95", "request.extra_body": `{"top_k": 20, "presence_penalty": 1.5}`,
	}
}

// Each rule alone, broken by what breaks it: the rules that fail are exactly these.
func TestEachRule(t *testing.T) {
	type run struct {
		set   string
		keys  func(map[string]string)
		facts func(*Facts)
		want  string // reasons, between commas
	}
	key := func(name, value string) func(map[string]string) {
		return func(m map[string]string) { m[name] = value }
	}
	drop := func(name string) func(map[string]string) { return func(m map[string]string) { delete(m, name) } }
	always := "accuracy (not known),swe_bench (not known),window (not known)"
	for name, c := range map[string]run{
		"kept":                 {set: AgentX},
		"another file":         {set: AgentX, facts: func(f *Facts) { f.Run.Options.DatasetSHA256 = strings.Repeat("0", 64) }, want: "corpus"},
		"no digest":            {set: AgentX, facts: func(f *Facts) { f.Run.Options.DatasetSHA256 = "" }, want: "corpus (not known)"},
		"a folder":             {set: AgentX, facts: func(f *Facts) { f.Run.Options.DatasetSHA256, f.Run.Options.Rules = "", AgentX }, want: "corpus"},
		"open loop":            {set: AgentX, keys: key("dataset.trace_loop", `"open"`), want: "closed_loop"},
		"a rate":               {set: AgentX, facts: func(f *Facts) { f.Run.Options.RequestRate = 2 }, want: "closed_loop"},
		"not streamed":         {set: AgentX, facts: func(f *Facts) { f.Run.Options.Unstreamed = true }, want: "streaming"},
		"stops":                {set: AgentX, facts: func(f *Facts) { f.Run.Options.IgnoreEOS = false }, want: "ignore_eos"},
		"faster":               {set: AgentX, keys: key("dataset.trace_speed", "2"), want: "pauses_kept"},
		"pauses capped":        {set: AgentX, keys: key("dataset.trace_max_pause", `"0s"`), want: "pauses_kept"},
		"prompts cut":          {set: AgentX, keys: key("dataset.trace_max_input", "8192"), want: "no_input_cap"},
		"live answers":         {set: AgentX, keys: key("dataset.history", `"live"`), want: "recorded_answers"},
		"faithful joins":       {set: AgentX, keys: key("dataset.trace_joins", `"pause"`), want: "replay"},
		"no marker":            {set: AgentX, keys: key("dataset.trace_cache_bust", `"words"`), want: "cache_bust"},
		"no idle cap":          {set: AgentX, keys: key("dataset.trace_idle_cap", `"0s"`), want: "idle_cap"},
		"a cap per tree":       {set: AgentX, keys: key("dataset.trace_tree_idle_cap", `"5m0s"`), want: "no_tree_idle_cap"},
		"899 s":                {set: AgentX, keys: key("load.duration", `"14m59s"`), want: "duration"},
		"no duration":          {set: AgentX, keys: drop("load.duration"), want: "duration"},
		"1 % too long":         {set: AgentX, facts: func(f *Facts) { f.Overflow = 10 }},
		"more than 1 %":        {set: AgentX, facts: func(f *Facts) { f.Overflow = 11 }, want: "context_overflow_rate_exceeded"},
		"Ctrl-C":               {set: AgentX, facts: func(f *Facts) { f.Interrupted = "signal" }, want: "run_cancelled"},
		"an old journal":       {set: AgentX, keys: func(m map[string]string) { clear(m) }, want: "closed_loop (not known),pauses_kept (not known),no_input_cap (not known),recorded_answers (not known),replay (not known),cache_bust (not known),idle_cap (not known),duration"},
		"errors are no rule":   {set: AgentX, facts: func(f *Facts) { f.Completed, f.Failed = 1, 999 }},
		"x kept":               {set: InferenceX},
		"x errors":             {set: InferenceX, facts: func(f *Facts) { f.Completed, f.Counted, f.Failed = 900, 900, 100 }},
		"x more errors":        {set: InferenceX, facts: func(f *Facts) { f.Completed, f.Counted, f.Failed = 899, 899, 101 }, want: "errors"},
		"x nothing":            {set: InferenceX, facts: func(f *Facts) { f.Completed, f.Counted, f.Failed = 0, 0, 0 }, want: "completed"},
		"x seed":               {set: InferenceX, facts: func(f *Facts) { f.Run.Options.Seed = 0 }, want: "seed"},
		"x start":              {set: InferenceX, keys: key("dataset.trace_start_max", "1"), want: "start"},
		"x tree cap":           {set: InferenceX, keys: key("dataset.trace_tree_idle_cap", `"0s"`), want: "tree_idle_cap"},
		"x warm-up":            {set: InferenceX, keys: key("dataset.trace_warm_turns", "1"), want: "warmup"},
		"x fast mode":          {set: InferenceX, keys: key("load.duration", `"20m0s"`), want: "duration"},
		"x some traces":        {set: InferenceX, keys: key("dataset.trace_trees", "100"), want: "all_traces"},
		"x counts":             {set: InferenceX, facts: func(f *Facts) { f.Counted-- }, want: "server_token_counts"},
		"x drafts":             {set: InferenceX, facts: func(f *Facts) { f.Drafts = true }, want: "speculative_decoding (not known)"},
		"m kept":               {set: MLPerf, want: always},
		"m twice":              {set: MLPerf, facts: func(f *Facts) { f.Conversations *= 2 }, want: always},
		"m trajectories":       {set: MLPerf, facts: func(f *Facts) { f.Conversations = 600 }, want: "trajectories," + always},
		"m none":               {set: MLPerf, facts: func(f *Facts) { f.Conversations = 0 }, want: "trajectories," + always},
		"m salt":               {set: MLPerf, keys: key("dataset.trace_cache_bust", `"marker"`), want: "salt," + always},
		"m delays":             {set: MLPerf, keys: key("dataset.trace_speed", "4"), want: "tool_delays," + always},
		"m failed":             {set: MLPerf, keys: key("dataset.trace_failed", `"go-on"`), want: "failed_turn," + always},
		"m sampling":           {set: MLPerf, keys: key("request.temperature", "0"), want: "sampling," + always},
		"m extra wins":         {set: MLPerf, keys: key("request.extra_body", `{"top_k": 40, "presence_penalty": 1.5}`), want: "sampling," + always},
		"m output":             {set: MLPerf, facts: func(f *Facts) { f.Output = 300 * int64(f.Completed) }, want: "output_length," + always},
		"m another model":      {set: MLPerf, facts: func(f *Facts) { f.Run.Options.ModelID = "sim" }, want: "model,sampling (not known),output_length (not known)," + always},
		"m a hostile settings": {set: MLPerf, keys: key("request.extra_body", `[1]`), want: "sampling," + always},
	} {
		keys := map[string]func() map[string]string{AgentX: kept, InferenceX: keptX, MLPerf: keptM}[c.set]()
		if c.keys != nil {
			c.keys(keys)
		}
		f := Facts{
			Run: &journal.Run{Spec: specOf(t, keys), Options: journal.Options{
				DatasetSHA256: fullCorpus, IgnoreEOS: true, Seed: 42, ModelID: "Qwen/Qwen3.6-35B-A3B-FP8",
			}},
			Requests: 1000, Completed: 1000, Counted: 1000, Output: 400_000, Conversations: trajectories,
		}
		if c.facts != nil {
			c.facts(&f)
		}
		j := Judge(c.set, f)
		if got := strings.Join(j.Reasons, ","); got != c.want || j.Valid != (c.want == "") {
			t.Errorf("%s: %q, valid %v, want %q", name, got, j.Valid, c.want)
		}
		if (j.Worst() == nil) != j.Valid {
			t.Errorf("%s: the worst is %+v", name, j.Worst())
		}
		for _, finding := range j.Findings {
			if finding.Figure == "" || finding.Text == "" || finding.Source == "" {
				t.Errorf("%s: %+v", name, finding)
			}
		}
	}
}

// Before a run only its settings are judged.
func TestBefore(t *testing.T) {
	run := &journal.Run{Spec: specOf(t, kept()), Options: journal.Options{DatasetSHA256: fullCorpus, IgnoreEOS: true}}
	if j := Before(AgentX, run); !j.Valid {
		t.Error(j.Reasons)
	}
	if j := Before(InferenceX, run); j.Valid || strings.Contains(strings.Join(j.Reasons, ","), "completed") {
		t.Error(j.Reasons)
	}
	if Before("", run) != nil || Judge("agent", Facts{Run: run}) != nil {
		t.Error("rules that nobody knows")
	}
}

// Names of rules are told apart, and the page lists each.
func TestDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Rules of `--rules`\n\nHow they are used: [rules.md](../rules.md). Written by `go test ./internal/judge/rules -run TestDocumented -update`.\n")
	for _, s := range Sets() {
		fmt.Fprintf(&b, "\n## %s\n\n%s.\n\n| rule | what is asked for | judged | source |\n|---|---|---|---|\n", s.Name, s.Title)
		seen := map[string]bool{}
		for _, r := range s.Rules {
			if seen[r.Name] {
				t.Errorf("%s has %s twice", s.Name, r.Name)
			}
			seen[r.Name] = true
			when := "before the run"
			if r.After {
				when = "after it"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Name, r.Text, when, r.Source)
		}
	}
	testfiles.Written(t, *update, "docs/reference/rules.md", b.String())
}

// A Spec of any bytes is judged without harm.
func FuzzJudge(f *testing.F) {
	f.Add([]byte(`{"dataset":{"trace_loop":1,"trace_speed":"x","trace_max_pause":"9999999h"},"load":{"duration":null}}`))
	f.Add([]byte(`{"request":{"temperature":1e999}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, spec []byte) {
		for _, s := range Sets() {
			if j := Judge(s.Name, Facts{Run: &journal.Run{Spec: spec}}); j == nil || j.Valid {
				t.Errorf("%s: %+v", s.Name, j)
			}
		}
	})
}
