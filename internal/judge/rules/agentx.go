package rules

import (
	"fmt"
	"strings"
	"time"
)

// The names of the sets.
const (
	AgentX     = "agentx"
	InferenceX = "inferencex"
	MLPerf     = "mlperf-agentic"
)

// corpora are those that the results of AgentX are of, by the SHA-256 of their file traces.jsonl.
var corpora = map[string]string{
	"29b6a19e751ff5230771519aab755f80a0f43a4ba9cf96b72d3a6a437ec99276": "semianalysisai/cc-traces-weka-062126",
	"e39cd2ff3eba21d4a3664be51da743ac3d2149a1933898cafc7bfeac8147eeef": "semianalysisai/cc-traces-weka-062126-256k",
}

// Corpus is the name of a corpus by the SHA-256 of its file; false: it is none of those that are known.
func Corpus(sha256 string) (name string, known bool) {
	name, known = corpora[sha256]
	return name, known
}

const (
	scenarioOf     = "AIPerf 0.13.0, common/scenario/inferencex_agentx_mvp.py"
	overflowOf     = "AIPerf 0.13.0, exporters/aggregate/aggregate_base_exporter.py"
	orchestratorOf = "AIPerf 0.13.0, timing/branch_orchestrator.py"
	recordingOf    = "AIPerf 0.13.0, dataset/loader/weka_trace.py"
)

// agentX is the scenario inferencex-agentx-mvp of AIPerf.
func agentX() Set {
	return Set{AgentX, "AgentX, as AIPerf 0.13.0 judges it", append(replayed(),
		Rule{"no_tree_idle_cap", "No cap on the idle time of one trace.", scenarioOf, false, func(f *Facts) (State, string) { return noSpan(f, keyTreeCap) }},
		Rule{"duration", "The load lasts 900 s or longer.", scenarioOf, false, func(f *Facts) (State, string) { return atLeast(f, 900*time.Second) }},
		Rule{"seed", "The seed is recorded.", scenarioOf, false, func(f *Facts) (State, string) { return Met, fmt.Sprint(f.Run.Options.Seed) }},
		overflow(), finished(),
	)}
}

// replayed are the rules on how a trace is replayed, which AgentX and InferenceX share.
func replayed() []Rule {
	return []Rule{
		{"corpus", "The trace is a pinned corpus: semianalysisai/cc-traces-weka-062126 or its -256k, by SHA-256.", scenarioOf, false, corpus},
		{"closed_loop", "A turn waits for the answers before it; there is no request rate.", scenarioOf, false, closedLoop},
		{"streaming", "Answers are streamed.", scenarioOf, false, func(f *Facts) (State, string) {
			return met(!f.Run.Options.Whole()), map[bool]string{true: "in one piece", false: "streamed"}[f.Run.Options.Whole()]
		}},
		{"ignore_eos", "Answers have the recorded length: ignore_eos is true.", scenarioOf, false, func(f *Facts) (State, string) {
			return met(f.Run.Options.IgnoreEOS), fmt.Sprint(f.Run.Options.IgnoreEOS)
		}},
		{"pauses_kept", "Recorded pauses are kept: speed 1, no cap on the pause before a turn.", scenarioOf, false, pausesKept},
		{"no_input_cap", "Prompts are not cut or left out by a length.", scenarioOf, false, noInputCap},
		{"recorded_answers", "Later prompts hold the recorded answers, not the server's.", recordingOf, false, func(f *Facts) (State, string) { return isText(f, keyHistory, "recorded") }},
		{"replay", "Agents that a list mixes are told apart; joins and spawns come at once; turns wait at barriers; a failed turn ends nothing.", orchestratorOf, false, asReplayed},
		{"cache_bust", "A marker before the first user message keeps plays apart in the server's cache.", scenarioOf, false, func(f *Facts) (State, string) { return isText(f, keyBust, "marker") }},
		{"idle_cap", "Time in which nothing is in flight is cut to 10 s.", scenarioOf, false, func(f *Facts) (State, string) {
			return isSpan(f, keyIdleCap, 10*time.Second)
		}},
	}
}

func corpus(f *Facts) (State, string) {
	sum := f.Run.Options.DatasetSHA256
	name, pinned := Corpus(sum)
	switch {
	case sum == "" && f.Run.Options.Rules != "": // then the digest of a file was taken
		return Broken, "not one file"
	case sum == "":
		return Unknown, "its digest was not taken, since the run itself had no --rules"
	case !pinned:
		return Broken, "another file, " + sum[:min(len(sum), 12)] + "…"
	}
	return Met, name
}

func closedLoop(f *Facts) (State, string) {
	loop, known := f.settings.text(keyLoop)
	switch {
	case f.Run.Options.RequestRate > 0:
		return Broken, fmt.Sprintf("%g requests/s", f.Run.Options.RequestRate)
	case !known:
		return Unknown, "the run does not say how turns wait"
	}
	return met(loop == "closed"), loop
}

func pausesKept(f *Facts) (State, string) {
	speed, known := f.settings.number(keySpeed)
	if !known {
		return Unknown, "the run does not say its speed"
	}
	figure := fmt.Sprintf("speed %g", speed)
	if most, capped := f.settings.span(keyMaxPause); capped {
		return Broken, fmt.Sprintf("%s, pauses of %v at most", figure, most)
	}
	return met(speed == 1), figure
}

// replay is what AIPerf leaves no choice about, and we do.
var replay = []struct{ key, want string }{
	{"trace_split", "true"}, {"trace_joins", `"at-once"`}, {"trace_spawns", `"at-once"`}, {"trace_barriers", "true"}, {"trace_failed", `"go-on"`}, {"trace_overflow", `"end-branch"`},
}

func asReplayed(f *Facts) (State, string) {
	var other []string
	for _, r := range replay {
		got, known := f.settings["dataset."+r.key]
		if !known {
			return unset("dataset." + r.key)
		}
		if got != r.want {
			other = append(other, r.key+" "+strings.Trim(got, `"`))
		}
	}
	if len(other) > 0 {
		return Broken, strings.Join(other, ", ")
	}
	return Met, "as AIPerf's"
}

func noInputCap(f *Facts) (State, string) {
	most, known := f.settings.number(keyMaxInput)
	switch {
	case !known:
		return Unknown, "the run does not say its longest prompt"
	case most > 0:
		return Broken, fmt.Sprintf("%g tokens at most", most)
	}
	return Met, "no cap"
}

// overflow is AIPerf's name for what goes wrong too often.
func overflow() Rule {
	return Rule{"context_overflow_rate_exceeded", "At most 1 % of the requests do not fit into the model's context.", overflowOf, true, func(f *Facts) (State, string) {
		return met(f.Overflow*100 <= f.Requests), shareOf(f.Overflow, f.Requests)
	}}
}

// finished is AIPerf's name for a run that was stopped.
func finished() Rule {
	return Rule{"run_cancelled", "The run was not stopped before its end.", overflowOf, true, func(f *Facts) (State, string) {
		if f.Interrupted != "" {
			return Broken, f.Interrupted
		}
		return Met, "came to its end"
	}}
}

func shareOf(n, of int) string {
	if of == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d, %.2g %%", n, of, 100*float64(n)/float64(of))
}

// isText asks for the value of a setting.
func isText(f *Facts, key, want string) (State, string) {
	v, known := f.settings.text(key)
	if !known {
		return unset(key)
	}
	return met(v == want), v
}

func isSpan(f *Facts, key string, want time.Duration) (State, string) {
	v, known := f.settings.span(key)
	if !known {
		return unset(key)
	}
	return met(v == want), v.String()
}

func noSpan(f *Facts, key string) (State, string) {
	if v, known := f.settings.span(key); known && v > 0 {
		return Broken, v.String()
	}
	return Met, "none"
}

func atLeast(f *Facts, want time.Duration) (State, string) {
	v, known := f.settings.span(keyDuration)
	if !known || v <= 0 {
		return Broken, "no --duration"
	}
	return met(v >= want), v.String()
}

func unset(key string) (State, string) {
	_, name, _ := strings.Cut(key, ".")
	return Unknown, "the run has no setting " + name
}
