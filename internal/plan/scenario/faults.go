package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/spec/fault"
	"go.yaml.in/yaml/v3"
)

// Faults are what is done to the servers during the load of each point.
type Faults []plannedFault

// plannedFault is a fault with its place in the file.
type plannedFault struct {
	fault.Fault
	at  *yaml.Node
	key string
}

// allServers is the name of all servers that do the work.
const allServers = "all"

// faultKeys are what may stand beside the kind of a fault.
type faultKeys struct {
	At    time.Duration `yaml:"at"`
	After int           `yaml:"after"`
	For   time.Duration `yaml:"for"`
	By    time.Duration `yaml:"by"`
	How   string        `yaml:"how"`
	On    string        `yaml:"on"`
	Path  string        `yaml:"path"`
}

func (f *Faults) decodeNode(d *decoder, key string, n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return fmt.Errorf("must be a list such as [{at: 10s, kill: backend-2}], not %s", describe(n))
	}
	*f = nil
	for i, item := range n.Content {
		*f = append(*f, d.decodeFault(fmt.Sprintf("%s[%d]", key, i), item)...)
	}
	return nil
}

// decodeFault reads one item of the list, which is one fault for each server that it names.
func (d *decoder) decodeFault(key string, n *yaml.Node) (list []plannedFault) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, key, "must be keys and values such as {at: 10s, kill: backend-2}, not %s", describe(n))
		return nil
	}
	var given faultKeys
	var kind, value *yaml.Node
	known := keysOf(reflect.TypeFor[faultKeys]())
	beside := []string{}
	for k, v := range pairs(n) {
		switch {
		case slices.Contains(fault.Kinds(), k.Value) && kind != nil:
			d.fail(k, key, "has both %s and %s: make it two", kind.Value, k.Value)
			return nil
		case slices.Contains(fault.Kinds(), k.Value):
			kind, value = k, v
		case slices.Contains(known, k.Value):
			beside = append(beside, k.Value)
			d.decode(join(key, k.Value), v, fieldOf(reflect.ValueOf(&given).Elem(), k.Value))
		default:
			d.fail(k, join(key, k.Value), "there is no such key; %s", suggest(k.Value, append(fault.Kinds(), known...)))
			return nil
		}
	}
	if kind == nil {
		d.fail(n, key, "says nothing to do: give one of %s", strings.Join(fault.Kinds(), ", "))
		return nil
	}
	for _, name := range beside {
		if !slices.Contains([]string{"at", "after", "for"}, name) && !slices.Contains(fault.Keys(kind.Value), name) {
			d.fail(child(n, name), join(key, name), "is no key of %s", kind.Value)
			return nil
		}
	}
	if !slices.Contains(beside, "at") && !slices.Contains(beside, "after") {
		d.fail(n, key, "needs at, the time from the begin of the load, or after, a number of requests")
		return nil
	}
	one := fault.Fault{At: given.At, After: given.After, Do: kind.Value, For: given.For, By: given.By, How: given.How, On: given.On, Path: given.Path}
	for _, f := range d.faultValues(join(key, kind.Value), one, value) {
		if err := f.Check(); err != nil {
			d.fail(n, key, "%v", err)
			return nil
		}
		list = append(list, plannedFault{f, n, key})
	}
	return list
}

// faultValues reads the value of a kind: the servers' names, a number, an adapter's name or a command.
func (d *decoder) faultValues(key string, one fault.Fault, v *yaml.Node) (list []fault.Fault) {
	switch one.Do {
	case fault.Command:
		var c Command
		if err := c.decodeNode(d, key, v); err != nil {
			d.fail(v, key, "%v", err)
			return nil
		}
		one.Args = c.Args
		return []fault.Fault{one}
	case fault.Scale:
		to, err := strconv.Atoi(v.Value)
		if err != nil || v.Kind != yaml.ScalarNode {
			d.fail(v, key, "must be how many servers there are to be, not %s", describe(v))
			return nil
		}
		one.To = to
		return []fault.Fault{one}
	case fault.LoadAdapter, fault.UnloadAdapter:
		if v.Kind != yaml.ScalarNode {
			d.fail(v, key, "must be the name of an adapter, not %s", describe(v))
			return nil
		}
		one.Name = v.Value
		return []fault.Fault{one}
	}
	names, err := flagValues(v)
	if err != nil || v.Kind == yaml.MappingNode {
		d.fail(v, key, "must be the name of a server, or a list of them, not %s", describe(v))
		return nil
	}
	for _, name := range names {
		one.On = name
		if name == allServers && !fault.OnServer(one.Do) {
			one.On = ""
		}
		list = append(list, one)
	}
	return list
}

// checkFaults looks at whether a target has what faults are done to.
func (d *Document) checkFaults(s *Scenario, t *Target, errs *errorList) {
	if len(s.Faults) == 0 {
		return
	}
	fail := func(f *plannedFault, format string, args ...any) {
		errs.add(d.errorAt(f.at, f.key, format, args...))
	}
	if s.Search != nil {
		fail(&s.Faults[0], "can't be done in a search: each of its probes is another load")
	}
	if s.asksAlone() {
		fail(&s.Faults[0], "are for a load, and here only questions are asked")
	}
	if s.Fleet.NATS != "" {
		fail(&s.Faults[0], "can't be done where agents send the load")
	}
	names := t.parts(s.Faults)
	for i := range s.Faults {
		f := &s.Faults[i]
		if s.Pace.Duration > 0 && f.At >= s.Pace.Duration {
			fail(f, "is at %v, when the load of %v is over", f.At, s.Pace.Duration)
		}
		switch {
		case f.Do == fault.Command:
		case f.Do == fault.Scale && len(t.Backends) > 1:
			fail(f, "scale does not know which role is meant: name the servers with start and drain")
		case f.On == allServers:
		case f.On != "" && !slices.Contains(names, f.On):
			fail(f, "there is no server %q; %s", f.On, suggest(f.On, append(names, allServers)))
		}
		if f.Do != fault.Command && !fault.Relayed(f.Do) && f.Do != fault.ResetCache && f.Do != fault.LoadAdapter && f.Do != fault.UnloadAdapter && !t.ours(f.On) {
			fail(f, "%s is done to servers that this scenario starts, and these are up already: give a command that does it", f.Do)
		}
		if fault.Relayed(f.Do) && !t.ours(f.On) {
			fail(f, "%s needs a relay before the server, which this scenario must start", f.Do)
		}
	}
}

// ours says whether the servers that a name stands for are started by us.
func (t *Target) ours(name string) bool {
	if len(t.Backends) > 0 && name != routerPart {
		return !t.Backends.up()
	}
	return t.started()
}

// routerPart and serverPart are what a target's own servers are called.
const (
	routerPart = "router"
	serverPart = "server"
)

// ownKind is what the target's own servers are called.
func (t *Target) ownKind() string {
	if len(t.Backends) > 0 {
		return routerPart
	}
	return serverPart
}

// parts are the names of all servers of a target, those among them that faults start.
func (t *Target) parts(faults Faults) (names []string) {
	for _, b := range t.Backends {
		for i := range b.count() + t.spares(b, faults) {
			names = append(names, partName(b.kind(), i, b.count()))
		}
	}
	n := t.count()
	for i := range n + t.ownSpares(faults) {
		names = append(names, partName(t.ownKind(), i, n))
	}
	return names
}

// spares is how many more servers of a kind faults want than there are at first.
func (t *Target) spares(b *Backend, faults Faults) int {
	if !b.started() || len(t.Backends) > 1 {
		return 0
	}
	return max(faults.largest()-b.count(), 0)
}

// ownSpares is the same for the target's own.
func (t *Target) ownSpares(faults Faults) int {
	if !t.started() || len(t.Backends) > 0 || t.count() == 1 {
		return 0
	}
	return max(faults.largest()-t.count(), 0)
}

// largest is how many servers there are to be at most.
func (f Faults) largest() (n int) {
	for _, one := range f {
		n = max(n, one.To)
	}
	return n
}

// relayed says whether faults are done to the network before a server.
func (f Faults) relayed(part string) bool {
	return slices.ContainsFunc(f, func(one plannedFault) bool {
		return fault.Relayed(one.Do) && (one.On == part || one.On == allServers && part != routerPart)
	})
}

// key is what faults change of the servers that are started.
func (f Faults) key() string {
	relayed := map[string]bool{}
	for _, one := range f {
		if fault.Relayed(one.Do) {
			relayed[one.On] = true
		}
	}
	if len(relayed) == 0 && f.largest() == 0 {
		return ""
	}
	return fmt.Sprint(slices.Sorted(maps.Keys(relayed)), f.largest())
}

// list are the faults as a point does them, to each server by its name.
func (f Faults) list(t *Target) (list fault.List) {
	for _, one := range f {
		if one.On != allServers {
			list = append(list, one.Fault)
			continue
		}
		for _, name := range t.parts(nil) {
			if name != routerPart {
				one.On = name
				list = append(list, one.Fault)
			}
		}
	}
	return list
}

// text is all that decides them, for a fingerprint.
func (f Faults) text(t *Target) string {
	b, err := json.Marshal(f.list(t))
	if err != nil {
		panic(err) // texts and numbers alone
	}
	return string(b)
}
