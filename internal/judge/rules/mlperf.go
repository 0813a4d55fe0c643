package rules

import (
	"encoding/json"
	"fmt"
	"strings"
)

const (
	endpointsOf = "MLPerf Endpoints ea33275, examples/10_Agentic_Inference/README.md"
	windowOf    = "MLPerf Endpoints ea33275, load_generator/agentic_inference_strategy.py"
)

// trajectories are how many conversations the dataset has: a run plays it a whole number of times.
const trajectories = 613

// mlperfModel is a model that MLPerf's agentic benchmark has rules for.
type mlperfModel struct {
	name     string
	words    []string           // all are in the model's name, in lower case
	sampling map[string]float64 // what is sent, by the Spec's keys
	low, top float64            // mean output tokens of a turn
}

var mlperfModels = []mlperfModel{
	{"Kimi K3", []string{"kimi", "k3"}, map[string]float64{"request.temperature": 1, "request.top_p": 1}, 390, 475},
	{
		"Qwen3.6-35B-A3B",
		[]string{"qwen3.6", "35b"},
		map[string]float64{"request.temperature": 1, "request.top_p": 0.95, "request.top_k": 20, "request.presence_penalty": 1.5},
		355, 434,
	},
}

func mlperf() Set {
	return Set{MLPerf, "MLPerf Endpoints, agentic inference", []Rule{
		{"model", "The model is Kimi K3 or Qwen3.6-35B-A3B.", endpointsOf, false, func(f *Facts) (State, string) {
			return met(modelOf(f) != nil), f.Run.Options.ModelID
		}},
		{"trajectories", fmt.Sprintf("The conversations are a multiple of %d.", trajectories), endpointsOf, true, func(f *Facts) (State, string) {
			return met(f.Conversations > 0 && f.Conversations%trajectories == 0), fmt.Sprint(f.Conversations)
		}},
		{"closed_loop", "A turn waits for the answer before it.", windowOf, false, closedLoop},
		{"salt", "Two salts in the system message keep passes and conversations apart in the server's cache.", endpointsOf, false, func(f *Facts) (State, string) { return isText(f, keyBust, "salt") }},
		{"tool_delays", "Recorded pauses of tools are kept.", endpointsOf, false, pausesKept},
		{"recorded_answers", "Later prompts hold the recorded answers, not the server's.", endpointsOf, false, func(f *Facts) (State, string) { return isText(f, keyHistory, "recorded") }},
		{"failed_turn", "A turn that fails ends its conversation.", windowOf, false, func(f *Facts) (State, string) { return isText(f, keyFailed, "end-conversation") }},
		{"sampling", "Sampling is the model's own: temperature, top_p, top_k, presence penalty.", endpointsOf, false, sampling},
		{"output_length", "The mean answer of a turn has 390 to 475 tokens (Kimi K3), 355 to 434 (Qwen3.6-35B-A3B).", endpointsOf, true, outputLength},
		{"accuracy", "Inline accuracy is at least 58.32 % (Kimi K3), 55.86 % (Qwen3.6-35B-A3B).", endpointsOf, true, notMeasured},
		{"swe_bench", "SWE-bench, 200 instances, is at least 93.5 % (Kimi K3), 69 % (Qwen3.6-35B-A3B).", endpointsOf, true, notMeasured},
		{"window", "Turns count that were issued before the first slot found no further conversation.", windowOf, true, func(*Facts) (State, string) {
			return Unknown, "figures count every turn up to the last answer"
		}},
		finished(),
	}}
}

func notMeasured(*Facts) (State, string) { return Unknown, "this run does not measure it" }

// modelOf is the model that the run names; nil: MLPerf has no rules for it.
func modelOf(f *Facts) *mlperfModel {
	name := strings.ToLower(f.Run.Options.ModelID)
next:
	for i := range mlperfModels {
		for _, word := range mlperfModels[i].words {
			if !strings.Contains(name, word) {
				continue next
			}
		}
		return &mlperfModels[i]
	}
	return nil
}

func sampling(f *Facts) (State, string) {
	m := modelOf(f)
	if m == nil {
		return Unknown, "there is no rule for this model"
	}
	var sent map[string]json.RawMessage
	_ = json.Unmarshal([]byte(f.settings["request.extra_body"]), &sent) // there may be none
	var wrong []string
	for _, key := range []string{"request.temperature", "request.top_p", "request.top_k", "request.presence_penalty"} {
		want, asked := m.sampling[key]
		name := strings.TrimPrefix(key, "request.")
		got, given := f.settings.number(key)
		if extra, ok := sent[name]; ok {
			given = json.Unmarshal(extra, &got) == nil
		}
		switch {
		case asked && !given:
			wrong = append(wrong, fmt.Sprintf("%s not sent, not %g", name, want))
		case asked && got != want, given && !asked:
			wrong = append(wrong, fmt.Sprintf("%s %g", name, got))
		}
	}
	if len(wrong) > 0 {
		return Broken, strings.Join(wrong, ", ")
	}
	return Met, "as " + m.name + "'s"
}

func outputLength(f *Facts) (State, string) {
	m := modelOf(f)
	switch {
	case f.Completed == 0:
		return Unknown, "no turn completed"
	case m == nil:
		return Unknown, "there is no rule for this model"
	}
	mean := float64(f.Output) / float64(f.Completed)
	return met(mean >= m.low && mean <= m.top), fmt.Sprintf("%.1f tokens", mean)
}
