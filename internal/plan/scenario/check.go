package scenario

import (
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/send/target"
	"go.yaml.in/yaml/v3"
)

// goodName is what names of targets and scenarios may be: they are folders too.
var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

// checkWhole looks at the keys that the matrix does not vary.
func (d *Document) checkWhole(s *Scenario, errs *errorList) {
	at := func(key string) *yaml.Node {
		if n := child(d.root, key); n != nil {
			return n
		}
		return d.root
	}
	fail := func(key, format string, args ...any) { errs.add(d.errorAt(at(key), key, format, args...)) }
	switch {
	case s.Name == "":
		fail("name", "is needed: results are kept under it")
	case !goodName.MatchString(s.Name):
		fail("name", "must be letters, digits, dots and dashes, since it names a folder; not %q", s.Name)
	}
	if len(s.Targets) == 0 {
		fail("targets", "is needed: at least one, with a base_url or a command")
	}
	if s.Order != "" && !slices.Contains(Orders(), s.Order) {
		fail("order", "must be %s, not %q", strings.Join(Orders(), ", "), s.Order)
	}
	if s.Search != nil && s.Search.Over != "concurrency" && s.Search.Over != "rate" {
		fail("search", "over must be concurrency or rate, not %q", s.Search.Over)
	}
	if s.Search != nil && len(s.SLO.SLO) == 0 {
		fail("search", "needs slo: it looks for the highest load at which that holds")
	}
	for name := range s.Targets {
		if !goodName.MatchString(name) {
			n := child(d.root, "targets")
			for k := range pairs(n) {
				if k.Value == name {
					errs.add(d.errorAt(k, "targets", "%q can't name a target: use letters, digits, dots and dashes", name))
				}
			}
		}
	}
}

// maxReplicas is beyond what one machine can start.
const maxReplicas = 1000

// checkTarget looks at one target.
func (d *Document) checkTarget(n *yaml.Node, key string, t *Target, errs *errorList) {
	at := func(name string) *yaml.Node {
		if c := child(n, name); c != nil {
			return c
		}
		return n
	}
	fail := func(name, format string, args ...any) {
		errs.add(d.errorAt(at(name), join(key, name), format, args...))
	}
	kinds := 0
	for _, given := range []bool{t.BaseURL != "", len(t.BaseURLs) > 0, t.started()} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		errs.add(d.errorAt(n, key, "needs one of base_url, base_urls and command"))
	}
	if !t.started() {
		for _, key := range []struct {
			name  string
			given bool
		}{
			{"env", len(t.Env) > 0}, {"cwd", t.Cwd != ""}, {"port", t.Port > 0}, {"replicas", t.Replicas > 0}, {"devices", len(t.Devices) > 0},
		} {
			if key.given {
				fail(key.name, "is for a target that is started with a command")
			}
		}
	}
	if t.started() && !strings.Contains(strings.Join(t.Command.Args, " "), "{port}") && (t.Port == 0 || t.count() > 1) {
		fail("command", "has no {port}: put it where the server's port goes, or set port")
	}
	if t.Replicas < 0 || t.Replicas > maxReplicas {
		fail("replicas", "must be from 1 to %d, not %d", maxReplicas, t.Replicas)
	}
	if len(t.Devices) > 0 && len(t.Devices) < t.count() {
		fail("devices", "has %d for %d replicas", len(t.Devices), t.count())
	}
	if t.Balance != "" && !slices.Contains(target.Balances(), t.Balance) {
		fail("balance", "must be %s, not %q", strings.Join(target.Balances(), ", "), t.Balance)
	}
	if t.Balance != "" && t.count() == 1 {
		fail("balance", "is for several servers, and this target is one")
	}
}
