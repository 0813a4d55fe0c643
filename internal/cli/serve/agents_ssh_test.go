package serve

import (
	"slices"
	"testing"

	"github.com/inferometer/inferometer/internal/spec"
)

// An agent that is started over ssh may load the servers of its run at their ports, whether the flags
// name these or not.
func TestAllowFlags(t *testing.T) {
	s := &spec.Spec{}
	s.URLs = []string{"http://llm.example", "https://llm.example/v1", "http://[::1]:8000", "http://llm.example:80"}
	s.MetricsURLs = []string{"http://llm.example:9090/metrics"}
	got, err := allowFlags(s, func(string) (string, bool) { return "", false })
	want := []string{"--allow", "llm.example:80", "--allow", "llm.example:443", "--allow", "[::1]:8000", "--allow", "llm.example:9090"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}
