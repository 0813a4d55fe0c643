package scenario

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/run"
	"go.yaml.in/yaml/v3"
)

// Backends are the servers that stand behind a target, which is their router then: one kind of them, or one for each
// role where prefill and decode are apart.
type Backends []*Backend

// Backend is one kind of servers behind a router.
type Backend struct {
	URLs []string `yaml:"urls"` // of some that are up
	Start

	role string // empty: they do both
}

// The roles that backends may have.
var roles = []string{string(journal.Prefill), string(journal.Decode)}

// laterWords are put into a command when its servers are started; those of backends are written by their names too.
var laterWords = []string{"port", "index", "device", "name", "backends", string(journal.Prefill), string(journal.Decode)}

func (b *Backends) decodeNode(d *decoder, key string, n *yaml.Node) error {
	*b = nil
	byRole := false
	for _, role := range roles {
		of := child(n, role)
		if of == nil {
			continue
		}
		byRole = true
		one := &Backend{role: role}
		d.decodeStruct(join(key, role), of, reflect.ValueOf(one).Elem())
		*b = append(*b, one)
	}
	if !byRole {
		one := &Backend{}
		d.decodeStruct(key, n, reflect.ValueOf(one).Elem())
		*b = Backends{one}
		return nil
	}
	for k := range pairs(n) {
		if !slices.Contains(roles, k.Value) {
			d.fail(k, join(key, k.Value), "stands beside a role; put it into %s", strings.Join(roles, " or "))
		}
	}
	return nil
}

// key is everything that distinguishes backends from others.
func (b Backends) key() string {
	var all []any
	for _, one := range b {
		all = append(all, []any{one.role, one.URLs, one.Command, one.Env, one.Cwd, one.Port, one.count(), one.Devices})
	}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // texts and numbers alone
	}
	return string(text)
}

// up says that some of them are not started by us.
func (b Backends) up() bool {
	return slices.ContainsFunc(b, func(one *Backend) bool { return !one.started() })
}

// count is how many there are of the kind.
func (b *Backend) count() int {
	if b.started() {
		return max(b.Replicas, 1)
	}
	return len(b.URLs)
}

// kind is what one of them is called.
func (b *Backend) kind() string {
	if b.role != "" {
		return b.role
	}
	return "backend"
}

// partName is what one of n servers is called within its target, counted from 1.
func partName(kind string, i, n int) string {
	if n == 1 && (kind == serverPart || kind == routerPart) {
		return kind
	}
	return kind + "-" + strconv.Itoa(i+1)
}

// checkBackends looks at what stands behind a target.
func (d *Document) checkBackends(n *yaml.Node, key string, t *Target, errs *errorList) {
	at, key := child(n, "backends"), join(key, "backends")
	if len(t.Backends) > 0 && (len(t.BaseURLs) > 0 || t.Replicas > 1) {
		errs.add(d.errorAt(at, key, "stand behind one address, and this target has several"))
	}
	known := map[string]string{}
	for _, b := range t.Backends {
		in, name := at, key
		if b.role != "" {
			in, name = child(at, b.role), join(key, b.role)
		}
		switch {
		case b.started() == (len(b.URLs) > 0):
			errs.add(d.errorAt(in, name, "needs one of command and urls"))
		case b.started() != t.Backends[0].started():
			errs.add(d.errorAt(in, name, "must be started like the other role, or be up like it"))
		case b.started() && !t.started():
			errs.add(d.errorAt(in, name, "are started after the router at %s was: give their urls, or start it too", t.BaseURL))
		}
		for _, url := range b.URLs {
			if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
				errs.add(d.errorAt(child(in, "urls"), join(name, "urls"), "must be addresses such as http://10.0.0.1:8000, not %q", url))
			}
		}
		d.checkStart(in, name, &b.Start, b.count(), errs)
		for i := range b.count() {
			known[partName(b.kind(), i, b.count())] = ""
		}
	}
	if command := child(n, "command"); command != nil {
		d.checkPartWords(command, join(strings.TrimSuffix(key, ".backends"), "command"), t, known, errs)
	}
}

// partWord is {backends}, {backends,}, {prefill}, {decode-2} and the like in a command.
var partWord = regexp.MustCompile(`\{(backends|backend|prefill|decode)(-[0-9]+)?(,?)\}`)

// checkPartWords refuses names of backends that are none.
func (d *Document) checkPartWords(n *yaml.Node, key string, t *Target, known map[string]string, errs *errorList) {
	for _, c := range n.Content {
		d.checkPartWords(c, key, t, known, errs)
	}
	if n.Kind != yaml.ScalarNode || n.Tag == literalTag {
		return
	}
	for _, m := range partWord.FindAllStringSubmatch(n.Value, -1) {
		name := m[1] + m[2]
		_, one := known[name]
		all := m[2] == "" && (name == "backends" && len(t.Backends) > 0 || slices.ContainsFunc(t.Backends, func(b *Backend) bool { return b.role == name }))
		if !one && !all {
			errs.add(d.errorAt(n, key, "there is nothing behind this target that %s could stand for; %s", m[0], suggest(name, slices.Sorted(maps.Keys(known)))))
		}
	}
}

// fillWords are the addresses that stand for the names of backends, by name.
type fillWords map[string][]string

// backendWords are those of servers that are up.
func backendWords(behind *run.Servers) fillWords {
	words := fillWords{}
	if behind == nil {
		return words
	}
	for _, one := range behind.List() {
		words[one.Part] = []string{one.URL}
		words["backends"] = append(words["backends"], one.URL)
		if one.Role != "" {
			words[one.Role] = append(words[one.Role], one.URL)
		}
	}
	return words
}

// put makes of a word of a command what it stands for: a name of several by itself is as many words.
func (w fillWords) put(word string) []string {
	if m := partWord.FindStringSubmatch(word); m != nil && m[0] == word && m[3] == "" {
		if urls := w[m[1]+m[2]]; len(urls) > 0 {
			return urls
		}
	}
	return []string{w.within(word)}
}

// within puts addresses into a text.
func (w fillWords) within(text string) string {
	return partWord.ReplaceAllStringFunc(text, func(found string) string {
		m := partWord.FindStringSubmatch(found)
		urls, between := w[m[1]+m[2]], " "
		if m[3] != "" {
			between = ","
		}
		if len(urls) == 0 {
			return found
		}
		return strings.Join(urls, between)
	})
}

// behind are the servers behind a point's target, as they are run.
func (r *Runner) behind(p *Point) *run.Target {
	t := p.target
	out := &run.Target{Name: p.Target(), Key: t.Backends.key() + p.scenario.Faults.key()}
	if t.Backends.up() {
		for _, b := range t.Backends {
			for i, url := range b.URLs {
				out.Up = append(out.Up, run.Server{Part: partName(b.kind(), i, len(b.URLs)), Role: b.role, URL: url})
			}
		}
		return out
	}
	folder := ""
	out.Servers = func(context.Context, *run.Servers) (list []run.Server, err error) {
		if folder, err = r.serverFolder(p.Target() + "-backends"); err != nil {
			return nil, err
		}
		return p.startBackends(folder)
	}
	out.WhenDown = func() {
		for _, b := range t.Backends {
			keepFiles(string(b.Cwd), p.scenario.Artifacts.Keep, folder)
		}
	}
	return out
}

// startBackends are the processes behind a point's target, with their files in a folder.
func (p *Point) startBackends(folder string) (list []run.Server, err error) {
	var wanted []portRange
	faults := p.scenario.Faults
	for _, b := range p.target.Backends {
		wanted = append(wanted, portRange{b.Port, b.count() + p.target.spares(b, faults)})
	}
	ports, err := choosePorts(wanted)
	if err != nil {
		return nil, err
	}
	for i, b := range p.target.Backends {
		ready := b.Ready
		if b.role != "" && ready.Request == nil {
			ready.Request = new(bool) // half of a pair answers nothing by itself
		}
		for j, one := range b.servers(b.kind(), b.count(), ports[i], folder, nil) {
			one.Name, one.Role, one.Ready = p.Target()+"-"+one.Part, b.role, readiness(ready, p.api())
			one.Spare, one.Relayed = j >= b.count(), faults.relayed(one.Part)
			list = append(list, one)
		}
	}
	return list, nil
}

// backendVersions asks one backend of each kind for its version; empty: none says.
func (r *Runner) backendVersions(ctx context.Context, t *Target, behind *run.Servers) string {
	var words []string
	for _, b := range t.Backends {
		for _, one := range behind.List() {
			if one.Role == b.role {
				if text := r.readVersion(ctx, &b.Start, one.URL); text != "" {
					words = append(words, b.kind()+" "+text)
				}
				break
			}
		}
	}
	return strings.Join(words, ", ")
}

// on completes settings of the point with its servers that are up; each of those behind a router is looked at by itself.
func (p *Point) on(settings option.Settings, up *run.Servers) option.Settings {
	settings = p.at(settings, up.URLs)
	if up.Behind == nil {
		return settings
	}
	var words []string
	for _, one := range up.Behind.List() {
		if one.Role != "" {
			words = append(words, one.Role+"="+one.URL)
		} else {
			words = append(words, one.URL)
		}
	}
	return settings.With("replica", strings.Join(words, ","))
}
