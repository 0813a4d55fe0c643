package keys

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write schema/scenario.schema.json")

// TestGenerated keeps the schema true: go test ./internal/plan/keys -update writes what the registries say into it.
func TestGenerated(t *testing.T) {
	const name = "../../../schema/scenario.schema.json"
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Schema(got)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
		got = want
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is not what the registries say; run this test with -update: %s", name, diff)
	}
}

func TestNames(t *testing.T) {
	names := Workload().Names()
	at := 0
	for key := range strings.FieldsSeq("input_len output_len prefix_len range_ratio suffix_len num_prefixes category no_oversample skip_chat_template disable_shuffle chat_template_kwargs chat_template_date lora_modules lora_assignment lora_zipf_exponent") {
		i := slices.Index(names[at:], key)
		if i < 0 {
			t.Fatalf("workload: %s is not there, or before its place in %s", key, names)
		}
		at += i
	}
	want := "burstiness ramp_up_strategy ramp_up_start_rps ramp_up_end_rps ramp_rate ramp_duration stages"
	if got := strings.Join(Pace().Names(), " "); got != want {
		t.Errorf("pace: %s, want %s", got, want)
	}
}

func TestCheck(t *testing.T) {
	for _, tt := range []struct{ key, text, want string }{
		{"input_len", "5", ""},
		{"input_len", "five", `needs a whole number, not "five"`},
		{"input_len", "-1", "must be at least 0, not -1"},
		{"output_len", "-1", ""}, // custom takes it
		{"range_ratio", `{"input":0.1,"output":0.2}`, ""},
		{"range_ratio", "1", "must be at least 0 and below 1, not 1"},
		{"no_oversample", "true", ""},
		{"no_oversample", "yes", `needs true or false, not "yes"`},
	} {
		got := ""
		if err := Workload().Check(tt.key, tt.text); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s %s: %q, want %q", tt.key, tt.text, got, tt.want)
		}
	}
}

func TestArgs(t *testing.T) {
	for _, tt := range []struct {
		dataset string
		values  Values
		want    string
	}{
		{"random", Values{"input_len": "5", "output_len": "6", "prefix_len": "7", "range_ratio": "0.5"}, "--input-len 5 --output-len 6 --random-prefix-len 7 --random-range-ratio 0.5"},
		{"sonnet", Values{"input_len": "5", "prefix_len": "7"}, "--input-len 5 --sonnet-prefix-len 7"},
		{"prefix_repetition", Values{"input_len": "5", "num_prefixes": "3"}, "--prefix-repetition-suffix-len 5 --prefix-repetition-num-prefixes 3"},
		{"sharegpt", Values{"input_len": "5", "output_len": "6", "prefix_len": "7"}, "--input-len 5 --output-len 6 --random-prefix-len 7"},
		{"custom", Values{"output_len": "-1", "no_oversample": "true", "disable_shuffle": "false"}, "--output-len=-1 --no-oversample"},
	} {
		if got := strings.Join(Workload().Settings(tt.dataset, tt.values).Words(), " "); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.dataset, got, tt.want)
		}
	}
}
