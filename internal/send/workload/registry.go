package workload

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/lora"
)

// Kind is a dataset that can be chosen. It is all that flags, scenarios, schemas and
// documents know of it.
type Kind struct {
	Name string // as --dataset-name and the scenario's dataset say it
	Doc  string // one sentence
	// File says that it is read from --dataset-path; else it is generated.
	File bool
	// BuiltIn says that it has a text of its own where no file is given.
	BuiltIn bool
	// SharedKeys are the keys of Shared, besides path, that it uses.
	SharedKeys []string
	// AllOfFile says that a number of prompts of 0 or less means all of the file.
	AllOfFile bool
	// IgnoreEOS says that a length it asks for means nothing to a model that may stop early.
	IgnoreEOS bool
	// Talks says that it has conversations: turns wait for answers. They need a chat backend.
	Talks bool
	// Timed says that its requests have times of their own, at which they are sent unless
	// the run has a pace. An option IsSelfTimed(paced bool) bool of its own may decide it.
	Timed bool
	// WholeFile says that without a number of prompts all of the file is sent.
	WholeFile bool
	// Holds says what its requests have beside a text.
	Holds Content
	// Most is how many requests a run that ends by time prepares for; 0: the usual number.
	Most int

	own  func() any
	open func(Options) (Dataset, error)
}

// NewKind completes a kind with its own options T, described by their tags, and how
// it is opened. A dataset without options takes struct{}.
func NewKind[T any](k Kind, open func(Options, *T) (Dataset, error)) *Kind {
	k.own = func() any { return option.New[T]() }
	k.open = func(o Options) (Dataset, error) {
		own, ok := o.Own.(*T)
		if !ok {
			return nil, fmt.Errorf("its options are %T, not %T", o.Own, own)
		}
		return open(o, own)
	}
	return &k
}

// Options makes the dataset's own options with their defaults.
func (k *Kind) Options() any { return k.own() }

// Uses reports whether the dataset uses an option of Shared.
func (k *Kind) Uses(key string) bool {
	if key == keyPath {
		return k.File
	}
	return lora.IsKey(key) || slices.Contains(k.SharedKeys, key)
}

// kinds is the one place where a dataset is listed.
var kinds = option.NewTable("dataset", func(k *Kind) string { return k.Name }, random, shareGPT, custom, sonnet, prefixRepetition,
	specBench, speedBench, hf, multiTurn, conversationSet,
	burstGPT, timedTrace, tracePlay,
	randomMM, randomRerank, customImage, customAudio, eval)

// Add puts a dataset into the table for the rest of the process. It is for an init function, of a test's program: nobody
// has looked at the table before.
func Add(k *Kind) { kinds = kinds.With(k) }

// Kinds lists the datasets in the order of the table.
func Kinds() []*Kind { return kinds.All() }

// Names are the names of Kinds.
func Names() []string { return kinds.Names() }

// Find is the dataset with this name.
func Find(name string) (*Kind, error) { return kinds.Find(name) }

func fileKinds() (names []string) {
	for _, k := range Kinds() {
		if k.File {
			names = append(names, k.Name)
		}
	}
	return names
}

// either is a list in words: a, b or c.
func either(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Open makes the dataset that the options name.
func Open(o Options) (Dataset, error) {
	k, err := Find(o.Dataset)
	if err != nil {
		return nil, err
	}
	if o.Own == nil {
		o.Own = k.Options()
	}
	d, err := k.checkedOpen(o)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", k.Name, err)
	}
	return d, nil
}

func (k *Kind) checkedOpen(o Options) (Dataset, error) {
	if err := Check(&o); err != nil {
		return nil, err
	}
	if err := o.confine(k); err != nil {
		return nil, err
	}
	o.Tokenizer = o.templated(k)
	d, err := k.open(o)
	if err != nil {
		return nil, err
	}
	return withAdapters(d, &o), nil
}

// SelfTimed says whether a dataset with these options is sent at its own times; paced
// says that the run has a pace.
func (k *Kind) SelfTimed(own any, paced bool) bool {
	if choice, ok := own.(interface{ IsSelfTimed(paced bool) bool }); ok {
		return k.Timed && choice.IsSelfTimed(paced)
	}
	return k.Timed && !paced
}

// Notes are what the user should know of an open dataset.
func Notes(d Dataset) []string {
	if n, ok := as[interface{ Notes() []string }](d); ok {
		return n.Notes()
	}
	return nil
}

// Start lets d make its first requests now, so that they lie ready when they are
// asked for. Without it that begins with the first Next.
func Start(d Dataset) {
	if s, ok := as[interface{ start() }](d); ok {
		s.start()
	}
}

// Want says which requests will be sent, by their index. The others still come, in their order,
// but d may leave them empty where that costs it less. It is called before the first Next.
func Want(d Dataset, wanted func(index int) bool) {
	if s, ok := as[interface{ want(func(index int) bool) }](d); ok {
		s.want(wanted)
	}
}

// NumPyState is NumPy's global generator as d leaves it, from which vLLM goes on
// to draw the arrival times; nil where d never touched it.
func NumPyState(d Dataset) *numpy.RandomState {
	if s, ok := as[interface{ numPyState() *numpy.RandomState }](d); ok {
		return s.numPyState()
	}
	return nil
}

// warmSeed gives warm-ups a stream of their own. It is far from any seed that
// people type, so the warm-ups of one run are not the prompts of the next.
func warmSeed(seed uint64) uint64 { return seed ^ 0x9e3779b97f4a7c15 }

// adapted is a dataset whose requests ask for adapters. Its warm-ups ask for the model
// itself, as those of vLLM's client do.
type adapted struct {
	Dataset
	pick     func() int // the next adapter; called in order
	names    []string
	sessions []int32 // the adapter of each conversation, by its number
}

// Unwrap gives the dataset behind.
func (a *adapted) Unwrap() Dataset { return a.Dataset }

func withAdapters(d Dataset, o *Options) Dataset {
	if len(o.LoRAModules) == 0 {
		return d
	}
	return &adapted{Dataset: d, names: o.LoRAModules, pick: lora.Pick(&o.AdapterOptions, pythonState(d, o.Seed))}
}

// Next implements Source.
func (a *adapted) Next() (*Request, error) {
	r, err := a.Dataset.Next()
	if err != nil || r.Unmeasured {
		return r, err
	}
	r.Model = a.names[a.choose(r.Conversation)]
	return r, nil
}

// choose gives the adapter of a conversation, and of a request that belongs to none.
func (a *adapted) choose(conversation int) int {
	if conversation <= 0 {
		return a.pick()
	}
	// They count on from 1, in any order: the n-th one has the n-th draw.
	for len(a.sessions) < conversation {
		a.sessions = append(slices.Grow(a.sessions, 1), int32(a.pick()))
	}
	return int(a.sessions[conversation-1])
}

// as finds what a dataset can do beyond the interface, behind whatever is wrapped round it.
func as[T any](d Dataset) (found T, ok bool) {
	for d != nil {
		if found, ok = d.(T); ok {
			return found, true
		}
		w, wrapped := d.(interface{ Unwrap() Dataset })
		if !wrapped {
			break
		}
		d = w.Unwrap()
	}
	return found, false
}

// pythonState is Python's global generator as d leaves it, from which vLLM goes on to
// draw adapters: seeded and not yet used, where d never touched it.
func pythonState(d Dataset, seed uint64) *numpy.Python {
	if s, ok := as[interface{ pythonState() *numpy.Python }](d); ok {
		return s.pythonState()
	}
	return numpy.NewPython(seed)
}
