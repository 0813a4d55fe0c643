package lead

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/share"
)

// stage is how far a leader has come.
type stage string

// The stages, in their order.
const (
	offering stage = "offering" // agents get their shares; nobody may start
	ready    stage = "ready"    // all have their nonces
	starting stage = "starting" // the instant is fixed; some may have it, and some not
	running  stage = "running"
)

// state is what is kept of a run for another leader. There is no secret in it.
type state struct {
	Run     string          `json:"run"`
	Version string          `json:"version"`
	Stage   stage           `json:"stage"`
	Spec    json.RawMessage `json:"spec"` // of the whole
	Agents  []member        `json:"agents"`
	Files   []message.File  `json:"files,omitempty"`
	Lease   time.Duration   `json:"lease_ns"`
	Wait    time.Duration   `json:"wait_ns"`
	Start   int64           `json:"start_unix_ns,omitempty"` // by the clock of the leader that gave it
	Folder  string          `json:"folder"`                  // on that leader's machine
}

func (s *state) weights() []int {
	weights := make([]int, len(s.Agents))
	for i := range s.Agents {
		weights[i] = s.Agents[i].Weight
	}
	return weights
}

// mostWeight is that of a share.
const mostWeight = 1000

// mostState bounds what is unpacked.
const mostState = 64 << 20

func (s *state) encode() ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b) // NATS takes a megabyte, and agents are alike
	if err := json.NewEncoder(w).Encode(s); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func decodeState(b []byte) (*state, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("it is no run's: %w", err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, mostState))
	if err != nil {
		return nil, fmt.Errorf("it is no run's: %w", err)
	}
	s := &state{}
	if err := json.Unmarshal(plain, s); err != nil {
		return nil, fmt.Errorf("it is no run's: %w", err)
	}
	if len(s.Agents) > share.Most {
		return nil, fmt.Errorf("it has %d agents: at most %d", len(s.Agents), share.Most)
	}
	for i := range s.Agents {
		a := &s.Agents[i]
		if err := message.CheckID(a.ID); err != nil {
			return nil, err
		}
		if a.Weight < 1 || a.Weight > mostWeight {
			return nil, fmt.Errorf("the weight of %s is %d: from 1 to %d", a.ID, a.Weight, mostWeight)
		}
		a.Name, a.Version, a.Address = outside.Word(a.Name), outside.Word(a.Version), outside.Word(a.Address)
	}
	return s, message.CheckID(s.Run)
}

// keep stores how far the run is.
func (l *leader) keep(ctx context.Context, at stage) error {
	l.kept.Stage = at
	for i, a := range l.agents {
		l.kept.Agents[i].Nonce = a.Nonce
	}
	b, err := l.kept.encode()
	if err != nil {
		return err
	}
	l.folder.keep(b)
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	return l.bus.Keep(ctx, l.kept.Run, b)
}
