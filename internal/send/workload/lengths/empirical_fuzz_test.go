package lengths

import (
	"os"
	"path/filepath"
	"testing"
)

// A file of lengths: numbers, or a trace of any format that is known.
func FuzzEmpirical(f *testing.F) {
	f.Add([]byte("5\n\n17\n99999999999\n"))
	f.Add([]byte(`{"timestamp": 0, "input_length": 5, "output_length": 2, "hash_ids": [1]}`))
	f.Add([]byte("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "lengths")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		q, err := empirical(path, Output)
		if err != nil {
			return
		}
		for _, p := range []float64{0, 0.5, 0.999999} {
			if v := q(p); !(v >= 1 && v <= Most) {
				t.Errorf("%q: the quantile at %g is %g", b, p, v)
			}
		}
	})
}
