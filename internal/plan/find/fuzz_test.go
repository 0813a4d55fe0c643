package find

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/plan/search"
)

// The log of an interrupted search is a file that was cut off anywhere, or edited.
func FuzzProbeLog(f *testing.F) {
	f.Add([]byte("{\"x\":4,\"at\":\"2026-11-14T10:32:00Z\"}\n{\"x\":8"))
	f.Add([]byte("{\"x\":-1e308}\nnull\n[]\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var said notes
		finder := &Finder{Folder: t.TempDir(), Progress: &said}
		cfg := search.Config{From: 1}
		mark, err := finder.fingerprint(cfg)
		if err != nil {
			t.Fatal(err)
		}
		head, err := json.Marshal(logHead{Search: mark})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(finder.Folder, "probes.jsonl")
		if err := os.WriteFile(path, append(append(head, '\n'), b...), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := finder.openLog(t.Context(), cfg)
		if err != nil {
			return
		}
		if e := earlierOf(l.earlier); e != nil {
			_ = e.sentence(len(l.earlier))
		}
	})
}
