package bus

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Where NATS is comes from a file, from standard input, or from the command line.
func FuzzPlace(f *testing.F) {
	f.Add([]byte(`{"url":"nats://127.0.0.1:4222","user":"u","password":"p"}`))
	f.Add([]byte(`{"url":"tls://[::1"}`))
	f.Add([]byte(`nats://u:p@127.0.0.1:4222`))
	f.Fuzz(func(t *testing.T, b []byte) {
		decoded, decodeErr := DecodePlace(bytes.NewReader(b))
		path := filepath.Join(t.TempDir(), "leader.json")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		read, err := ReadPlace(path)
		if err == nil && (decodeErr != nil || read.URL != decoded.URL) {
			t.Errorf("%q is read as %q from a file, and as %q (%v) from standard input", b, read.URL, decoded.URL, decodeErr)
		}
		if p, err := ReadPlace(string(b)); err == nil && p.URL == "" {
			t.Errorf("%q has no address", b)
		}
	})
}
