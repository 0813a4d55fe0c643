package agent

import (
	"os"
	"path/filepath"
	"testing"
)

// What an agent that was killed has left of its status: half a record, or another program's bytes.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`{"run":"r1","agent":"a1","sent":5}` + "\n\n\n"))
	f.Add([]byte(`{"run":"other"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "r1.a1")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{statusFile, uploadFile} {
			if err := os.WriteFile(filepath.Join(path, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		folder, err := openFolder(path)
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		if s, ok := folder.noted(); ok && (s.Run != "r1" || s.Agent != "a1") {
			t.Errorf("another run's status was taken: %+v", s)
		}
	})
}
