package hardware

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
)

const (
	// AskFor is how long a source may take. One that takes longer has no sample then.
	AskFor = 5 * time.Second
	// share is what a source may take of its machine's time: one that took 200 ms is asked
	// again after 2 s.
	share = 10
	// patience is after how many failures, with no answer before them, a source is left alone.
	patience = 3
)

// Reader asks one source, again and again. It is not for several goroutines at once.
type Reader struct {
	Name   string // of the source; a second one of its kind has a number
	source source

	rest     time.Time // it is not asked before
	answered bool
	failures int // in a row
	gone     bool
}

// Open makes readers of a Spec. What is named and not there fails when it is asked. why says,
// with auto, why there are none.
func Open(s Spec, client *http.Client, local bool) (readers []*Reader, why string) {
	w := &world{machine: machine.This(), look: exec.LookPath, client: client}
	return w.open(s, local)
}

func (w *world) open(s Spec, local bool) (readers []*Reader, why string) {
	items := s.Items
	if s.Auto {
		if !local {
			return nil, "the server is not on this machine, whose devices say nothing of it: name an exporter of the server's, as in --hardware dcgm=http://host:9400"
		}
		if items = w.found(); len(items) == 0 {
			return nil, "this machine has nothing that tells of its devices: no nvidia-smi, amd-smi or rocm-smi in PATH, no GPU or processor clock in Linux's files, no RAPL counter that may be read"
		}
	}
	count := map[string]int{}
	for _, i := range items {
		k := findKind(i.Kind)
		name := k.name
		if count[k.name]++; count[k.name] > 1 {
			name = fmt.Sprintf("%s-%d", k.name, count[k.name])
		}
		readers = append(readers, &Reader{Name: name, source: k.open(w, i.URL)})
	}
	return readers, ""
}

// Ask reads the devices. Both results are nil where it is not time to ask, or no use any more.
func (r *Reader) Ask(ctx context.Context, now time.Time) ([]journal.Device, error) {
	if r.gone || now.Before(r.rest) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, AskFor)
	defer cancel()
	began := time.Now()
	list, err := r.source.read(ctx)
	// A little less than it asks for, so that a tick that comes early is not lost.
	r.rest = now.Add(share*time.Since(began) - time.Since(began))
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s tells nothing of its devices", r.Name)
	}
	if err != nil {
		r.failures++
		r.gone = !r.answered && r.failures >= patience
		return nil, err
	}
	r.answered, r.failures = true, 0
	return list, nil
}

// Last says that a reader has answered before, so that it is worth asking it once more at the end.
func (r *Reader) Last() bool {
	r.rest = time.Time{}
	return r.answered && r.failures == 0
}
