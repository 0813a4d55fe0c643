package workload

import (
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

type kind struct {
	name string
	open func(Options) (Dataset, error)
}

// datasets is the one place where a dataset is registered.
var datasets = []kind{
	{"random", openRandom},
	{"sharegpt", openShareGPT},
	{"custom", openCustom},
	{"sonnet", openSonnet},
	{"prefix_repetition", openPrefixRepetition},
}

// Names lists the datasets in the order of the table.
func Names() []string {
	names := make([]string, len(datasets))
	for i, d := range datasets {
		names[i] = d.name
	}
	return names
}

// Open makes the dataset that the options name.
func Open(o Options) (Dataset, error) {
	for _, d := range datasets {
		if d.name != o.Dataset {
			continue
		}
		opened, err := d.open(o)
		if err != nil {
			return nil, fmt.Errorf("dataset %s: %w", d.name, err)
		}
		return opened, nil
	}
	return nil, fmt.Errorf("dataset %q is unknown: use one of %s", o.Dataset, strings.Join(Names(), ", "))
}

// Start lets d make its first requests now, so that they lie ready when they are
// asked for. Without it that begins with the first Next.
func Start(d Dataset) {
	if s, ok := d.(interface{ start() }); ok {
		s.start()
	}
}

// NumPyState is NumPy's global generator as d leaves it, from which vLLM goes on
// to draw the arrival times; nil where d never touched it.
func NumPyState(d Dataset) *numpy.RandomState {
	if s, ok := d.(interface{ numPyState() *numpy.RandomState }); ok {
		return s.numPyState()
	}
	return nil
}

// warmSeed gives warm-ups a stream of their own. It is far from any seed that
// people type, so the warm-ups of one run are not the prompts of the next.
func warmSeed(seed uint64) uint64 { return seed ^ 0x9e3779b97f4a7c15 }
