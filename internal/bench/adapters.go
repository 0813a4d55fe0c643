package bench

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// noteAdapters says which adapters no server lists. They may still be there: a server
// that loads them as they are asked for need not know them before.
func (r *Run) noteAdapters() {
	var missing []string
	for _, name := range r.LoRAModules {
		if !slices.ContainsFunc(r.lists, func(l modelList) bool { return l.err != nil || l.has(name) }) {
			missing = append(missing, outside.Word(name))
		}
	}
	if n := len(missing); n > 0 {
		r.say("note: %d of %d adapters are not among the models that the server lists (%s): requests for %s may fail",
			n, len(r.LoRAModules), r.lists[0].names(), few(missing))
	}
}

// few names the first of many.
func few(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", …"
}
