package argv

import (
	"encoding/json"
	"testing"
)

// A file of --metrics-map, --protocol-file or --config becomes JSON, or an error that names it.
func FuzzYAMLFile(f *testing.F) {
	for _, seed := range []string{"a: 1\nb: [x, .inf, 0x1f, 1_000]\n", "{a: *x}", "a: &x [*x]", "<<: {a: 1}", "? [1]\n: 2", "a: !!binary xyz", "a: 2026-01-01", "---\n--- 1", "{\"a\": 1}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		raw, err := YAMLFile("x.yaml", b)
		if err == nil && !json.Valid(raw) {
			t.Errorf("%q became %q, which is no JSON", b, raw)
		}
	})
}
