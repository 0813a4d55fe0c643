package verdict

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// scraped are one server's counters before the load and after it.
type scraped struct {
	target        int
	before, after map[string]float64
}

// scrapedFrom takes of each server the last scrape before the load and the last one after it.
func scrapedFrom(scrapes []journal.Scrape) []scraped {
	var list []scraped
	for i := range scrapes {
		s := &scrapes[i]
		if s.During { // holds only what is drawn
			continue
		}
		at := slices.IndexFunc(list, func(l scraped) bool { return l.target == s.Target })
		if at < 0 {
			at = len(list)
			list = append(list, scraped{target: s.Target})
		}
		if s.After {
			list[at].after = s.Counters
		} else {
			list[at].before = s.Counters
		}
	}
	return list
}

// whole says that both scrapes are there.
func (l *scraped) whole() bool { return len(l.before) > 0 && len(l.after) > 0 }

// kind is the family of the server's counters, empty where we know none.
func (l *scraped) kind() string {
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

// sumScraped adds the servers up to one. It has nothing where one of them did not
// tell all, or counts by other names than the rest: a sum over a part would accuse
// the others.
func sumScraped(list []scraped, targets int) (before, after map[string]float64) {
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
