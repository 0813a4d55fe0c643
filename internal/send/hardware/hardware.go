// Package hardware asks devices what they are doing while a run goes on: power, clocks,
// temperature, memory, and why they run slower than they could. Each source is a file: a
// program of the vendor's, files of the kernel, or an exporter's page.
//
//	Spec (which sources) ─▶ Reader (one source, again and again) ─▶ journal.Device
//
// A source that can't be read says so once and stops nothing. What it does not tell is nil:
// no device has 0 W because its board has no meter.
package hardware

import (
	"context"
	"net/http"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/machine"
)

// source reads its devices once.
type source interface {
	read(ctx context.Context) ([]journal.Device, error)
}

// world is where sources look. Each part can be replaced by a test.
type world struct {
	machine *machine.Machine
	look    func(program string) (path string, err error)
	client  *http.Client
}

// kind is one entry of the table of sources.
type kind struct {
	name string
	doc  string // reads on from "name is"
	url  bool   // it is given as name=URL
	open func(w *world, url string) source
	// here says whether this machine has it, for auto; nil: it is never looked for.
	here func(w *world) bool
	// instead names sources that tell of the same devices, and come first.
	instead []string
}

// kinds are all sources, in the order in which auto tries them.
var kinds = []kind{
	nvidiaSMI, amdSMI, rocmSMI, sysfs, rapl,
	dcgm, amdExporter, nodeExporter,
}

func findKind(name string) *kind {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i]
		}
	}
	return nil
}

// found are the sources of this machine. Of several that tell of the same devices it is the first.
func (w *world) found() []Item {
	var items []Item
	have := map[string]bool{}
	for i := range kinds {
		k := &kinds[i]
		if k.here == nil || !k.here(w) {
			continue
		}
		twice := false
		for _, name := range k.instead {
			twice = twice || have[name]
		}
		if !twice {
			have[k.name] = true
			items = append(items, Item{Kind: k.name})
		}
	}
	return items
}

// maxDevices are taken of one answer.
const maxDevices = 512

// some is a value that is known.
func some(v float64) *float64 { return &v }

// scaled is a value in another unit; nil stays nil.
func scaled(v *float64, by float64) *float64 {
	if v == nil {
		return nil
	}
	return some(*v * by)
}

// first is the first value that is known.
func first(values ...*float64) *float64 {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// positive leaves out a 0 that stands for "not told".
func positive(v *float64) *float64 {
	if v == nil || *v <= 0 {
		return nil
	}
	return v
}
