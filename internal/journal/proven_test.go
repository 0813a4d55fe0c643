package journal

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a self-test has proven survives the file; a run without one says nothing of it.
func TestProvenRoundTrip(t *testing.T) {
	for name, want := range map[string]*Proven{
		"none": nil,
		"two points": {At: 1_700_000_000, Version: "1.2.3", Engine: "loop", Points: []ProvenPoint{
			{Streams: 10, TokensPerS: 1000, TTFTMS: 0.3, ITLMS: 0.05}, {Streams: 200, TokensPerS: 20_000, TTFTMS: 8, ITLMS: 0.4},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), FileName)
			w, err := Create(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Run(&Run{Schema: Schema, Proven: want}); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if diff := cmp.Diff(want, r.Run().Proven); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
