package task

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/testfiles"
)

// goldenBody is a request as lm-eval 0.4.13 sent it: `go test ./test/lmeval -update` keeps them.
type goldenBody struct {
	Prompt      string
	Messages    json.RawMessage
	MaxTokens   int `json:"max_tokens"`
	Temperature float64
	Stop        []string
	Echo        bool
	Logprobs    int
}

// What lm-eval sent stays what we send, also where no lm-eval is.
func TestGoldenOfLMEval(t *testing.T) {
	three := 3
	for name, o := range map[string]Options{
		"completions":        {},
		"completions_system": {System: "You are terse."},
		"chat":               {Chat: true},
		"chat_turns":         {Chat: true, MultiTurn: true, System: "You are terse."},
		"three_shots":        {Limit: 3, Shots: &three},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "lmeval", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var golden map[string][]goldenBody
			if err := json.Unmarshal(text, &golden); err != nil {
				t.Fatal(err)
			}
			if len(golden) < 7 {
				t.Errorf("the file has only %d tasks", len(golden))
			}
			for task, bodies := range golden {
				compareGolden(t, task, bodies, o)
			}
		})
	}
}

func compareGolden(t *testing.T, task string, golden []goldenBody, o Options) {
	t.Helper()
	o.Seed = 1234
	file := task
	switch task {
	case "local_gsm8k":
		file, o.Data, o.Examples = "gsm8k", testfiles.Path(t, "accuracy", "gsm8k_test.jsonl"), testfiles.Path(t, "accuracy", "gsm8k_train.jsonl")
	case "local_mmlu_pro_biology":
		file, o.Data, o.Examples = "mmlu_pro", testfiles.Path(t, "accuracy", "mmlu_pro_test.jsonl"), testfiles.Path(t, "accuracy", "mmlu_pro_validation.jsonl")
	default:
		file = testfiles.Path(t, "accuracy", "lmeval", task+".yaml")
	}
	s := opened(t, file, o)
	if len(golden) == 0 || s.Len() < len(golden) {
		t.Fatalf("%s: there are %d requests, and lm-eval sent %d or more", task, s.Len(), len(golden))
	}
	for i, want := range golden {
		got := item(t, s, i)
		if got.Messages == nil && got.Prompt != want.Prompt {
			t.Errorf("%s: prompt %d is\n%q, and lm-eval sent\n%q", task, i, got.Prompt, want.Prompt)
		}
		if got.Messages != nil && !bytes.Equal(compact(t, got.Messages), compact(t, want.Messages)) {
			t.Errorf("%s: messages %d are\n%s, and lm-eval sent\n%s", task, i, got.Messages, want.Messages)
		}
		if got.MaxTokens != want.MaxTokens {
			t.Errorf("%s: request %d asks for %d tokens, and lm-eval for %d", task, i, got.MaxTokens, want.MaxTokens)
		}
		compareFields(t, task, got, &want)
	}
}

func compareFields(t *testing.T, task string, got *Item, want *goldenBody) {
	t.Helper()
	fields := map[string]string{}
	for _, f := range got.Fields {
		fields[f.Name] = string(f.Value)
	}
	check := func(name string, want any, absent bool) {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if value, there := fields[name]; there == absent || there && value != string(text) {
			t.Errorf("%s: %s is %q, and lm-eval sent %s", task, name, value, text)
		}
	}
	check("temperature", want.Temperature, false)
	check("stop", want.Stop, want.Stop == nil)
	check("echo", true, !want.Echo)
	check("logprobs", want.Logprobs, !want.Echo)
}

func compact(t *testing.T, b []byte) []byte {
	t.Helper()
	var messages []map[string]string
	if err := json.Unmarshal(b, &messages); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
