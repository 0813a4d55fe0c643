package multiturn

import (
	"strings"
	"testing"
)

// TestArgs: the script's flags in the words of bench serve.
func TestArgs(t *testing.T) {
	const always = "--backend openai-chat --base-url http://h:1 --model m --dataset-name conversations --dataset-path f --num-prompts 0 --seed "
	for line, want := range map[string]string{
		"": "0 --max-concurrency 1 --max-conversations 1 --request-timeout 120s --session-header ''",
		"-p 2 -k 6 --seed 4 --send-conversation-id":            "4 --max-concurrency 2 --max-conversations 6 --request-timeout 120s",
		"-n 9 --max-turns 5 -o out --limit-max-tokens 7 -v":    "0 --max-concurrency 1 --max-conversations 1 --request-timeout 120s --save-conversations out --max-requests 9 --multi-turn-max-turns 3 --output-len 7 --session-header ''",
		"-p 3 --request-rate 4 --request-timeout-sec 9":        "0 --max-concurrency 3 --max-conversations 3 --request-timeout 9s --session-header '' --think-time exponential:250ms",
		"--header A:1 --header B=2,3 --api-key secret":         "0 --max-concurrency 1 --max-conversations 1 --request-timeout 120s --session-header '' --header 'A=***' 'B=***' 'Authorization=***'",
		"--header authorization:x --api-key k --no-early-stop": "0 --max-concurrency 1 --max-conversations 1 --request-timeout 120s --session-header '' --header 'Authorization=***'",
	} {
		set, o := flags()
		if err := set.Parse(append(strings.Fields(line), "-i", "f", "-m", "m", "-u", "http://h:1/")); err != nil {
			t.Fatal(err)
		}
		settings, err := o.settings()
		if err != nil {
			t.Fatal(err)
		}
		if got := quoted(settings.Words()); got != always+want {
			t.Errorf("%s:\n got %s\nwant %s", line, got, always+want)
		}
	}
}

// TestRefusals: what is not done is told by its name.
func TestRefusals(t *testing.T) {
	for line, want := range map[string]string{
		"--limit-max-tokens -1":          "limit-max-tokens",
		"--limit-min-tokens 5":           "limit-min-tokens",
		"--warmup-percentages 10%":       "warmup-percentages",
		"--request-rate 2 -k 3":          "request-rate",
		"--num-clients 0":                "num-clients",
		"--header x":                     "header",
		"--verify-output":                "verify-output",
		"--stats-json-output f":          "stats-json-output",
		"--conversation-sampling random": "conversation-sampling",
		"--excel-output":                 "excel-output",
		"--max-retries 1":                "max-retries",
		"--no-stream":                    "no-stream",
		"--print-content":                "print-content",
		"--warmup-step":                  "warmup-step",
		"--request-timeout-sec 0":        "request-timeout-sec",
		"--max-num-requests -1":          "max-num-requests",
	} {
		set, o := flags()
		err := set.Parse(append(strings.Fields(line), "-i", "f", "-m", "m"))
		if err == nil {
			_, err = o.settings()
		}
		if err == nil || !strings.Contains(err.Error(), "--"+want+" ") {
			t.Errorf("%s: %v", line, err)
		}
	}
}
