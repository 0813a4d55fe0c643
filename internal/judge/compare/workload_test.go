package compare

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// What differs of two workloads is named with both values; what is not known is not said.
func TestOtherWorkload(t *testing.T) {
	told := func(seed string) map[string]string { return map[string]string{"seed": seed, "dataset": "random"} }
	keys := func(length string) map[string]string {
		return map[string]string{"dataset.input_len": length, "load.seed": "0", "load.max_concurrency": length, "request.ignore_eos": "true"}
	}
	fresh := func(sha, length string) result.Workload {
		return result.Workload{SHA: sha, Recipe: 2, Told: told("0"), Keys: keys(length), Sent: 20, Tokenizer: "t"}
	}
	old := func(sha, seed string) result.Workload {
		return result.Workload{SHA: sha, Recipe: 1, Named: true, Told: told(seed), Sent: 20}
	}
	less := fresh("y", "16")
	less.Sent = 12
	off := fresh("y", "16")
	delete(off.Keys, "request.ignore_eos")
	off.Keys["load.batch"] = "false"
	other := fresh("y", "16")
	other.Tokenizer = "u"
	for _, tt := range []struct {
		name           string
		a, b           result.Workload
		modelA, modelB string
		want           string
		not            string
	}{
		{"the same, of two models", fresh("x", "16"), fresh("x", "16"), "f16", "q4", "", ""},
		{"longer", fresh("x", "16"), fresh("y", "32"), "m", "m", "different workload: dataset.input_len 32, against 16", "concurrency"},
		{"a key that is not there", fresh("x", "16"), off, "m", "m", "request.ignore_eos not set, against true", "batch"},
		{"sent in part", fresh("x", "16"), less, "m", "m", "12 requests, against 20", ""},
		{"nothing but the bytes", fresh("x", "16"), other, "m", "m", "another tokenizer (u, against t)", ""},
		{"an old one, the same by all that both tell", old("x", "0"), fresh("y", "16"), "f16", "q4", "is not known", "different workload"},
		{"an old one, another seed", old("x", "1"), fresh("y", "16"), "m", "m", "different workload: seed 0, against 1", "dataset"},
		{"two old ones of one model", old("x", "0"), old("y", "0"), "m", "m", "different workload: the bytes or their times differ", ""},
		{"two old ones of two models", old("x", "0"), old("y", "0"), "f16", "q4", "is not known", "different workload"},
		{"two old ones, the same", old("x", "0"), old("x", "0"), "m", "m", "", ""},
		{"another tool", fresh("x", "16"), result.Workload{}, "m", "m", "", ""},
		{"no hash, another seed", old("", "0"), old("", "1"), "m", "m", "seed 1, against 0", ""},
	} {
		got := otherWorkload(&result.Facts{Model: tt.modelA, Workload: tt.a}, &result.Facts{Model: tt.modelB, Workload: tt.b})
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) || tt.not != "" && strings.Contains(got, tt.not) {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
