package lead

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/judge/hist"
)

// The note in a fleet's folder, and the histograms of agents that are shown while they send.
func FuzzFolderNote(f *testing.F) {
	f.Add([]byte(`{"run":"run-1","merged":true}`))
	f.Add([]byte(`{"run":"../x"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, fleetName), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if run := unfinished(folder); run != "" && message.CheckID(run) != nil {
			t.Errorf("%q is no run", run)
		}
	})
}

func FuzzAgentHistogram(f *testing.F) {
	h := hist.New(7)
	h.Add(5e6)
	seed, err := h.MarshalJSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed, seed)
	f.Add([]byte(`"AAAA"`), seed)
	f.Fuzz(func(_ *testing.T, a, b []byte) {
		sum := merged(merged(nil, a), b)
		if sum != nil {
			short(sum, 99)
		}
	})
}
