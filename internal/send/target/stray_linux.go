package target

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// strays finds the processes that carry a server's mark in their environment and are
// in another group than its own. Those of other users can't be looked into.
func strays(mark string, group int) (found []Stray) {
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, b...), []byte("\x00"+mark+"\x00")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil || pid == os.Getpid() || groupOf(pid) == group {
			continue
		}
		if _, lives := startTime(pid); lives {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "comm"))
			found = append(found, Stray{pid, strings.TrimSpace(string(name))})
		}
	}
	return found
}
