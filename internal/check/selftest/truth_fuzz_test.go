package selftest

import (
	"os"
	"path/filepath"
	"testing"
)

// A simulator that was killed leaves a truth that ends anywhere.
func FuzzTruth(f *testing.F) {
	f.Add([]byte("{\"id\":\"a\",\"arrived\":5,\"events\":[1,2]}\n{\"id\":"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "truth.jsonl")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		known, err := readTruth(path)
		if err != nil {
			return
		}
		for _, one := range known {
			one.begun()
		}
	})
}
