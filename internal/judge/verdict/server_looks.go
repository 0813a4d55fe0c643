package verdict

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// look is one server's counters before the load and after it.
type look struct {
	target        int
	before, after map[string]float64
}

// looksOf takes of each server the last look before the load and the last one after it.
func looksOf(scrapes []journal.Scrape) []look {
	var list []look
	for i := range scrapes {
		s := &scrapes[i]
		if s.During { // holds only what is drawn
			continue
		}
		at := slices.IndexFunc(list, func(l look) bool { return l.target == s.Target })
		if at < 0 {
			at = len(list)
			list = append(list, look{target: s.Target})
		}
		if s.After {
			list[at].after = s.Counters
		} else {
			list[at].before = s.Counters
		}
	}
	return list
}

// whole says that both looks are there.
func (l *look) whole() bool { return len(l.before) > 0 && len(l.after) > 0 }

// kind is the family of the server's counters, empty where we know none.
func (l *look) kind() string {
	for _, family := range families {
		for name := range l.after {
			if strings.HasPrefix(name, family) {
				return family
			}
		}
	}
	return ""
}

// families are how the names of counters begin that we know.
var families = []string{"vllm:", "llamacpp:"}

// sumLooks adds the servers up to one. It has nothing where one of them did not
// tell all, or counts by other names than the rest: a sum over a part would accuse
// the others.
func sumLooks(list []look, targets int) (before, after map[string]float64) {
	if len(list) != targets {
		return nil, nil
	}
	before, after = map[string]float64{}, map[string]float64{}
	for i := range list {
		if !list[i].whole() || list[i].kind() != list[0].kind() {
			return nil, nil
		}
		for name, v := range list[i].before {
			before[name] += v
		}
		for name, v := range list[i].after {
			after[name] += v
		}
	}
	return before, after
}
