package bench

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
)

// maxSeen is how many prompts are remembered of a server: 800 KB.
const maxSeen = 100_000

// seenPrompts remembers the hashes of the prompts that were sent to a server, so
// that a later run knows which of its own may still lie in the server's prefix
// cache. Those that no server took are not among them. It keeps hashes, never prompts.
type seenPrompts struct {
	path string
	mu   sync.Mutex
	old  map[uint64]bool // of earlier runs
	ring []uint64        // the newest, old and new
	next int             // where the ring goes on once it is full
	hits int
}

// openSeen reads what is remembered of a server. identity changes when the
// server was started anew: its cache is empty then.
func openSeen(state string, identity ...string) *seenPrompts {
	sum := sha256.Sum256([]byte(strings.Join(identity, "\x00")))
	s := &seenPrompts{path: filepath.Join(state, "inferometer", "seen", hex.EncodeToString(sum[:8])), old: map[uint64]bool{}}
	b, err := os.ReadFile(s.path)
	if err != nil {
		return s // nothing is known: the first run
	}
	for ; len(b) >= 8; b = b[8:] {
		hash := binary.LittleEndian.Uint64(b)
		s.old[hash] = true
		s.keep(hash)
	}
	return s
}

// note takes in a prompt that the server has taken, by its hash in hex.
func (s *seenPrompts) note(text string) {
	hash, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		return // no hash
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.old[hash] {
		s.hits++
	}
	s.keep(hash)
}

// forget is for a server whose cache is known to be empty.
func (s *seenPrompts) forget() { s.old, s.ring, s.next = map[uint64]bool{}, nil, 0 }

func (s *seenPrompts) keep(hash uint64) {
	if len(s.ring) < maxSeen {
		s.ring = append(s.ring, hash)
		return
	}
	s.ring[s.next] = hash
	s.next = (s.next + 1) % maxSeen
}

// save keeps the newest, the oldest of them first.
func (s *seenPrompts) save() error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	b := make([]byte, 0, 8*len(s.ring))
	for i := range s.ring {
		b = binary.LittleEndian.AppendUint64(b, s.ring[(s.next+i)%len(s.ring)])
	}
	return atomicfile.WriteBytes(s.path, b)
}

// openSeen finds what earlier runs sent to each server.
func (r *Run) openSeen() {
	state, err := r.host.State()
	if err != nil {
		return
	}
	for i, server := range r.URLs {
		start, _ := metricsOf(r.before)[i].Sum("process_start_time_seconds") // 0: not told
		s := openSeen(state, server, r.sentModel, strconv.FormatFloat(start, 'f', -1, 64))
		if r.ForgetPrompts {
			s.forget()
		}
		r.seen = append(r.seen, s)
	}
}

func (r *Run) reached(promptHash string, target int) {
	if r.seen != nil {
		r.seen[target].note(promptHash)
	}
}

// seenBefore counts this run's prompts that an earlier one has sent, and keeps
// this run's for the next. -1: not known.
func (r *Run) seenBefore() int {
	if r.seen == nil {
		return -1
	}
	hits := 0
	for _, s := range r.seen {
		if err := s.save(); err != nil {
			r.say("note: the prompts of this run can't be remembered: %v", err)
		}
		hits += s.hits
	}
	return hits
}
