package serving_test

import (
	"os"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/serving"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/testfiles"
)

// dump is a real server's answer as the journal keeps it.
func dump(t testing.TB, name string) journal.Scrape {
	t.Helper()
	b, err := os.ReadFile(testfiles.Path(t, "metrics", name))
	if err != nil {
		t.Fatal(err)
	}
	return scrapeOf(b)
}

func scrapeOf(b []byte) journal.Scrape {
	s := journal.Scrape{Counters: map[string]float64{}, Buckets: map[string]map[string]float64{}}
	lines, names := map[string]float64{}, serving.NewTable()
	for _, m := range target.ParseMetrics(b) {
		if base, ok := strings.CutSuffix(m.Name, "_bucket"); ok && m.Label("le") != "" {
			if s.Buckets[base] == nil {
				s.Buckets[base] = map[string]float64{}
			}
			s.Buckets[base][m.Label("le")] += m.Value
			continue
		}
		for _, key := range append(names.Labelled(m.Name, m.Label), m.Name) {
			s.Counters[key] += m.Value
			lines[key]++
		}
	}
	for key := range s.Counters {
		if names.Averaged(key) {
			s.Counters[key] /= lines[key]
		}
	}
	return s
}
