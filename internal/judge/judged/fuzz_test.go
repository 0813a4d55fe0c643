package judged

import "testing"

// A result file may be of any tool and any length: it names a run, or it is an error.
func FuzzLastRun(f *testing.F) {
	f.Add([]byte(`{"inferometer":{"run":"/x"}}` + "\n" + `{"inferometer":{"run":"y"}}`))
	f.Add([]byte(`{"a": NaN, "b": [Infinity]}`))
	f.Add([]byte(`{"inferometer":`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if folder, err := lastRun(b); err != nil && folder != "" {
			t.Errorf("%q: %v, and the folder %q", b, err, folder)
		}
	})
}
