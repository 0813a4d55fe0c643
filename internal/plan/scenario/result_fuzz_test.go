package scenario

import (
	"os"
	"path/filepath"
	"testing"
)

// A point's result and record lie in a folder that people edit and other programs write to.
func FuzzPointFiles(f *testing.F) {
	f.Add([]byte(`{"request_throughput":1.5,"inferometer":{"verdict":{"level":"VALID"},"outcomes":{"complete":3},"goodput":{"output_tokens_per_s":2},"numbers":{"a":null}}}`))
	f.Add([]byte(`{"id":"a","state":"done","fingerprint":"x"}`))
	f.Add([]byte(`{"inferometer":{"targets":{}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		folder := Folder{t.TempDir()}
		point := &Point{ID: "a"}
		if err := os.MkdirAll(folder.Run("a"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{folder.result("a"), filepath.Join(folder.point("a"), pointFile)} {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		record := folder.record(point)
		m, err := readResult(folder.result("a"))
		if err != nil {
			return
		}
		m.value("p99_ttft")
		_ = record.done()
	})
}
