package pace

import (
	"fmt"
	"time"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
)

// The names of the arrival processes.
const (
	Closed   = "closed"
	Burst    = "burst"
	Constant = "constant"
	Poisson  = "poisson"
	Gamma    = "gamma"
	Ramping  = "ramp"
	RampTime = "ramp-time"
	Staged   = "stages"
	Traced   = "trace"
	Dataset  = "dataset"
)

// Kind is an arrival process that can be chosen. It is all that flags, scenarios,
// schemas and documents know of it.
type Kind struct {
	Name string
	Doc  string // one sentence
	// By is the key of the option that chooses it where no name is given. Those
	// without it are chosen by rate and burstiness.
	By string
	// Timed says that it ends by itself after a time.
	Timed bool

	own  func() any
	make func(Spec) (Pace, error)
}

// NewKind completes a kind with its own options T, described by their tags, and how
// the pace is made. A process without options takes struct{}.
func NewKind[T any](k Kind, make func(Spec, *T) (Pace, error)) *Kind {
	k.own = func() any { return option.New[T]() }
	k.make = func(s Spec) (Pace, error) {
		own, ok := s.Own.(*T)
		if !ok {
			return nil, fmt.Errorf("its options are %T, not %T", s.Own, own)
		}
		return make(s, own)
	}
	return &k
}

// Options makes the process's own options with their defaults.
func (k *Kind) Options() any { return k.own() }

// kinds is the one place where a process is listed.
var kinds = option.NewTable("pace", func(k *Kind) string { return k.Name }, closed, burst, constant, poisson, gamma, ramping, rampTime, staged, traced, fromDataset)

// Add puts a process into the table for the rest of the process. It is for an init function, of a test's program: nobody
// has looked at the table before.
func Add(k *Kind) { kinds = kinds.With(k) }

// Kinds lists the processes in the order of the table.
func Kinds() []*Kind { return kinds.All() }

// Find is the process with this name.
func Find(name string) (*Kind, error) { return kinds.Find(name) }

// Spec is what a pace is made of.
type Spec struct {
	Name string
	Own  any // the process's own options, as its Kind makes them; nil: their defaults
	N    int // requests to come; 0 where nobody knows, then nothing is rescaled
	Seed uint64
	// Random replaces Seed where a dataset has drawn from NumPy's global
	// generator before (workload.NumPyState). It is copied, not used up.
	Random   *numpy.RandomState
	Duration time.Duration // bound in time; 0 is none
	// Times are those of the dataset itself; nil: it has none.
	Times Pace
}

// random gives a generator at the start of the gaps, each time the same.
func (s Spec) random() *numpy.RandomState {
	if s.Random != nil {
		return s.Random.Clone()
	}
	return numpy.NewRandomState(s.Seed)
}

// Check says what is wrong with a spec before a pace is made of it. What is wrong
// with one option is an [option.Error].
func Check(s *Spec) error {
	if _, err := Find(s.Name); err != nil {
		return err
	}
	if err := option.Check(s.Own); err != nil {
		return err
	}
	if own, ok := s.Own.(interface{ CheckWith(*Spec) error }); ok {
		return own.CheckWith(s)
	}
	return nil
}

// New makes the pace of s, bounded by its N and Duration.
func New(s Spec) (Pace, error) {
	k, err := Find(s.Name)
	if err != nil {
		return nil, err
	}
	if s.Own == nil {
		s.Own = k.Options()
	}
	if err := Check(&s); err != nil {
		return nil, fmt.Errorf("pace %s: %w", s.Name, err)
	}
	p, err := k.make(s)
	if err != nil {
		return nil, fmt.Errorf("pace %s: %w", s.Name, err)
	}
	return Bound(p, s.Duration, s.N), nil
}
