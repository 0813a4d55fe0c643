package bus

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/internal/fleet/fleettest"
)

// BenchmarkAppendJournal is what a piece of a journal costs, with NATS's usual interval of
// syncing and with a sync of each message.
func BenchmarkAppendJournal(b *testing.B) {
	for name, sync := range map[string]string{"usual": "", "always": "sync_interval: always"} {
		b.Run(name, func(b *testing.B) {
			folder, port := b.TempDir(), fleettest.FreePort(b)
			config := fmt.Sprintf("listen: \"127.0.0.1:%d\"\njetstream {\n store_dir: %q\n %s\n}\n", port, filepath.Join(folder, "store"), sync)
			if err := os.WriteFile(filepath.Join(folder, "nats.conf"), []byte(config), 0o600); err != nil {
				b.Fatal(err)
			}
			server := fleettest.StartConfig(b, folder, "nats.conf", fmt.Sprint("127.0.0.1:", port))
			leader, err := Open(b.Context(), Place{URL: server.URL}, Options{Name: "bench"})
			if err != nil {
				b.Fatal(err)
			}
			defer leader.Close()
			if err := leader.Prepare(b.Context()); err != nil {
				b.Fatal(err)
			}
			piece, at := make([]byte, 16<<10), int64(0)
			for b.Loop() {
				if err := leader.AppendJournal(b.Context(), "r", "a", at, piece); err != nil {
					b.Fatal(err)
				}
				at += int64(len(piece))
			}
		})
	}
}
