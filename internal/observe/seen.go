package observe

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/files/atomicfile"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/prepare"
	"github.com/inferometer/inferometer/internal/send/load"
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

// seen remembers the prompts of a run, each server's by itself.
type seen struct {
	Base
	state   string
	forget  bool
	servers []*seenPrompts
	say     func(format string, args ...any)
}

// NewSeen remembers prompts, where there is a state folder.
func NewSeen(_ context.Context, r *prepare.Ready, h *prepare.Host) (Observer, error) {
	state, err := h.State()
	if err != nil {
		return nil, nil //nolint:nilerr // nothing is remembered
	}
	return &seen{state: state, forget: r.ForgetPrompts, say: h.Note}, nil
}

// Open finds what earlier runs sent to each server.
func (s *seen) Open(_ context.Context, r *Run) error {
	for i, t := range r.Targets {
		start, _ := r.Before[i].Sum("process_start_time_seconds") // 0: not told
		one := openSeen(s.state, t.Base, r.Model, strconv.FormatFloat(start, 'f', -1, 64))
		if s.forget {
			one.forget()
		}
		s.servers = append(s.servers, one)
	}
	return nil
}

// Configure has it told of each prompt that a server has taken.
func (s *seen) Configure(cfg *load.Config) {
	cfg.Reached = func(promptHash string, target int) { s.servers[target].note(promptHash) }
}

// Finish counts this run's prompts that an earlier one has sent, and keeps this run's for the next.
func (s *seen) Finish(_ context.Context, _ <-chan struct{}, end *journal.End) error {
	end.SeenPrompts = 0
	for _, one := range s.servers {
		if err := one.save(); err != nil {
			s.say("note: the prompts of this run can't be remembered: %v", err)
		}
		end.SeenPrompts += one.hits
	}
	return nil
}
