package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxSeen is how many prompts are remembered of a server: 3.4 MB.
const maxSeen = 200_000

// seenPrompts remembers the hashes of the prompts that were sent to a server, so
// that a later run knows which of its own may still lie in the server's prefix
// cache. It keeps hashes, never prompts.
type seenPrompts struct {
	path string
	old  map[string]bool // of earlier runs
	list []string        // old and new, in order
	hits int
}

// openSeen reads what is remembered of a server. identity changes when the
// server was started anew: its cache is empty then.
func openSeen(state string, identity ...string) *seenPrompts {
	sum := sha256.Sum256([]byte(strings.Join(identity, "\x00")))
	s := &seenPrompts{path: filepath.Join(state, "inferometer", "seen", hex.EncodeToString(sum[:8])), old: map[string]bool{}}
	b, err := os.ReadFile(s.path)
	if err != nil {
		return s // nothing is known: the first run
	}
	for hash := range strings.Lines(string(b)) {
		hash = strings.TrimSpace(hash)
		s.old[hash] = true
		s.list = append(s.list, hash)
	}
	return s
}

// note takes in a prompt that is on its way.
func (s *seenPrompts) note(hash string) {
	if s.old[hash] {
		s.hits++
	}
	s.list = append(s.list, hash)
	if len(s.list) > 2*maxSeen {
		s.list = append(s.list[:0], s.list[len(s.list)-maxSeen:]...)
	}
}

// save keeps the newest. That it can't is no reason to spoil a result.
func (s *seenPrompts) save() error {
	if len(s.list) > maxSeen {
		s.list = s.list[len(s.list)-maxSeen:]
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(s.path, []byte(strings.Join(s.list, "\n")+"\n"), 0o644)
}

// openSeen finds what earlier runs sent to this server.
func (r *serveRun) openSeen() {
	state, err := stateRoot()
	if err != nil {
		return
	}
	started := strconv.FormatFloat(counters(r.before)["process_start_time_seconds"], 'f', -1, 64)
	r.seen = openSeen(state, r.server, r.sentModel, started)
}

func (r *serveRun) sending(promptHash string) {
	if r.seen != nil {
		r.seen.note(promptHash)
	}
}

// seenBefore counts this run's prompts that an earlier one has sent, and keeps
// this run's for the next. -1: not known.
func (r *serveRun) seenBefore() int {
	if r.seen == nil {
		return -1
	}
	if err := r.seen.save(); err != nil {
		r.say("note: the prompts of this run can't be remembered: %v", err)
	}
	return r.seen.hits
}
