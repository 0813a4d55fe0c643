package message

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// The bounds of what one side can make the other keep or do.
const (
	mostLabels = 64
	mostAllow  = 256
	mostPoints = 64
	mostWeight = 1000
	mostKey    = 64
	mostNonce  = 128
	mostSealed = 128 << 10
	mostFiles  = 4096
	mostLive   = 32
	mostCount  = 1 << 48 // of anything; sums of thousands stay far from an overflow

	// MostFile is the largest file that an agent fetches.
	MostFile = 64 << 30
	// MostLease is the longest that an agent goes on without contact.
	MostLease = time.Hour
)

func (h *Hello) clean() {
	h.Version, h.Name, h.Address = outside.Word(h.Version), outside.Word(h.Name), outside.Word(h.Address)
	labels := map[string]string{}
	for k, v := range h.Labels {
		labels[outside.Word(k)] = outside.Word(v)
	}
	h.Labels = labels
	for i, host := range h.Allow {
		h.Allow[i] = outside.Word(host)
	}
	if p := h.Proven; p != nil {
		p.Version, p.Engine, p.Busy = outside.Word(p.Version), outside.Word(p.Engine), outside.Sentence(p.Busy)
	}
}

func (h *Hello) check() error {
	switch {
	case len(h.Labels) > mostLabels:
		return fmt.Errorf("%d labels are too many: at most %d", len(h.Labels), mostLabels)
	case len(h.Allow) > mostAllow:
		return fmt.Errorf("%d hosts on an agent's list are too many: at most %d", len(h.Allow), mostAllow)
	case h.Proven != nil && len(h.Proven.Points) > mostPoints:
		return fmt.Errorf("%d points of a self-test are too many: at most %d", len(h.Proven.Points), mostPoints)
	case len(h.Key) > mostKey:
		return fmt.Errorf("a key of %d bytes is no key", len(h.Key))
	case h.Weight < 0 || h.Weight > mostWeight:
		return fmt.Errorf("a weight of %d is not between 0 and %d", h.Weight, mostWeight)
	case h.CPUs < 0 || h.CPUs > 1<<20 || h.Memory < 0:
		return fmt.Errorf("there is no machine of %d cores and %d bytes", h.CPUs, h.Memory)
	}
	if h.Run != "" {
		if err := CheckID(h.Run); err != nil {
			return err
		}
	}
	return CheckID(h.Agent)
}

func (a *Ask) clean() { a.Version = outside.Word(a.Version) }

func (a *Ask) check() error {
	switch {
	case len(a.Files) > mostFiles:
		return fmt.Errorf("%d files are too many: at most %d", len(a.Files), mostFiles)
	case len(a.Nonce) > mostNonce:
		return fmt.Errorf("a nonce of %d bytes is none", len(a.Nonce))
	case len(a.Sealed) > mostSealed:
		return fmt.Errorf("sealed secrets of %d bytes are too long: at most %d", len(a.Sealed), mostSealed)
	case a.From < 0 || a.From > mostCount:
		return fmt.Errorf("a journal has no byte %d", a.From)
	case a.SHA256 != "" && !digest.MatchString(a.SHA256):
		return fmt.Errorf("the digest of a journal is none")
	case a.Lease < 0 || a.Lease > int64(MostLease):
		return fmt.Errorf("a lease of %s is not between 0 and %s", time.Duration(a.Lease), MostLease)
	}
	for _, f := range a.Files {
		if !digest.MatchString(f.SHA256) || f.Bytes < 0 || f.Name != outside.Word(f.Name) || f.Name == "" || f.For != outside.Word(f.For) {
			return fmt.Errorf("a file of it has no digest, size or name")
		}
		if f.Bytes > MostFile {
			return fmt.Errorf("a file of %d bytes is too large: at most %d", f.Bytes, int64(MostFile))
		}
	}
	if a.Kind == Clock {
		return nil
	}
	return CheckID(a.Run)
}

var digest = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (a *Answer) clean() {
	a.Error = outside.Line(a.Error, outside.MaxSentence)
	if a.Status != nil {
		a.Status.clean()
	}
}

func (a *Answer) check() error {
	if len(a.Nonce) > mostNonce {
		return fmt.Errorf("a nonce of %d bytes is none", len(a.Nonce))
	}
	if len(a.Piece) > MostPiece {
		return fmt.Errorf("a piece of %d bytes is too long: at most %d", len(a.Piece), MostPiece)
	}
	if a.Status != nil {
		return a.Status.check()
	}
	return nil
}

func (s *Status) clean() {
	s.Error, s.Stuck = outside.Line(s.Error, outside.MaxSentence), outside.Line(s.Stuck, outside.MaxSentence)
}

var phases = []Phase{Preparing, Ready, Running, Draining, Ended, Failed}

func (s *Status) check() error {
	for _, n := range []int64{int64(s.Number), int64(s.Planned), int64(s.Sent), int64(s.Reserved), int64(s.Done), int64(s.Failed), int64(s.HungUp), int64(s.InFlight), int64(s.Tokens), s.Journal} {
		if n < 0 || n > mostCount {
			return fmt.Errorf("a number of it is below 0, or beyond all bounds")
		}
	}
	switch {
	case !slices.Contains(phases, s.Phase):
		return fmt.Errorf("%q is no phase of a run", outside.Word(string(s.Phase)))
	case s.SHA256 != "" && !digest.MatchString(s.SHA256):
		return fmt.Errorf("the digest of its journal is none")
	case len(s.Live) > mostLive:
		return fmt.Errorf("%d histograms are too many: at most %d", len(s.Live), mostLive)
	}
	for name := range s.Live {
		if err := CheckID(name); err != nil {
			return err
		}
	}
	if err := CheckID(s.Run); err != nil {
		return err
	}
	return CheckID(s.Agent)
}
