package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/result"
)

// otherWorkload says what of the workload differs; empty: nothing that is known to.
func otherWorkload(a, b *result.Facts) string {
	wa, wb := &a.Workload, &b.Workload
	told := wa.SHA != "" && wb.SHA != "" && wa.Recipe == wb.Recipe
	if told && wa.SHA == wb.SHA {
		return ""
	}
	differ := keysDiffer(wa, wb)
	// An old hash counts the model's name: between two models it says nothing.
	known := told && !(wa.Named && base(a.Model) != base(b.Model))
	switch {
	case len(differ) > 0:
		return "it was sent a different workload: " + strings.Join(differ, "; ")
	case known && wa.Sent != wb.Sent:
		return fmt.Sprintf("it was sent more or less of a workload: %d requests, against %d; the rest of what the results tell of it is the same", wb.Sent, wa.Sent)
	case known:
		return "it was sent a different workload: the bytes or their times differ, though the results show no reason; " + tokenizers(wa, wb) + "or another file of the dataset, makes such a difference"
	case wa.SHA != "" && wb.SHA != "":
		return "whether it was sent the same bytes is not known: a result of an older version has a hash that counts the model's name; nothing else that both tell of their workloads differs"
	}
	return ""
}

func tokenizers(a, b *result.Workload) string {
	if a.Tokenizer != b.Tokenizer && a.Tokenizer != "" && b.Tokenizer != "" {
		return fmt.Sprintf("another tokenizer (%s, against %s), ", b.Tokenizer, a.Tokenizer)
	}
	return "another tokenizer, "
}

// mostDiffering bounds what a sentence names.
const mostDiffering = 8

// keysDiffer names what two workloads differ in, with the values of both: the keys of their Specs, or what
// results of all versions tell.
func keysDiffer(a, b *result.Workload) (out []string) {
	ka, kb := a.Keys, b.Keys
	if ka == nil || kb == nil {
		ka, kb = a.Told, b.Told
	}
	if ka == nil || kb == nil {
		return nil // of another tool, which tells nothing of it
	}
	all := map[string]string{}
	maps.Copy(all, ka)
	maps.Copy(all, kb)
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if va, vb := unset(ka[key]), unset(kb[key]); va != vb && key != "load.max_concurrency" { // which has a note of its own
			out = append(out, fmt.Sprintf("%s %s, against %s", key, vb, va))
		}
	}
	if n := len(out) - mostDiffering; n > 0 {
		out = append(out[:mostDiffering], fmt.Sprintf("and %d more", n))
	}
	return out
}

// unset is a value in words: a key that is not there and one that switches nothing on are the same.
func unset(value string) string {
	if slices.Contains([]string{"", "null", "false", "[]", "{}", `""`}, value) {
		return "not set"
	}
	return strings.Trim(value, `"`)
}
