// Package scenario is a whole experiment as one file: servers to start or to
// reach, a workload, a pace, and a matrix of what is varied.
//
//	file ─▶ Document (merged, with lines) ─▶ Plan (points in order) ─▶ Runner ─▶ Summary ─▶ table
//
// A point is one run of bench serve against one target. It is a process of its own
// and writes its journal and its result to its own folder, so that a run which is
// interrupted goes on where it stopped: points whose folder holds a finished run of
// the same fingerprint are left alone.
//
// Every point is decoded from the file's nodes with its values of the matrix put in
// their places, which is why any key can be varied and why each error knows its line.
//
// The package prints nothing and reads neither flags nor the environment: the
// program and the environment's values are given to it.
package scenario

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/plan/find"
	"github.com/inferometer/inferometer/internal/plan/keys"
	"github.com/inferometer/inferometer/internal/plan/routers"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"go.yaml.in/yaml/v3"
)

// Scenario is the file's keys. docs/scenarios.md explains each; the names are also
// in schema/scenario.schema.json, and a test compares.
type Scenario struct {
	Name       string             `yaml:"name"`
	Extends    string             `yaml:"extends"` // gone when a document is loaded
	Vars       map[string]string  `yaml:"vars"`
	Targets    map[string]*Target `yaml:"targets"`
	Workload   Workload           `yaml:"workload"`
	Eval       *Eval              `yaml:"eval"`
	Pace       Pace               `yaml:"pace"`
	Matrix     *yaml.Node         `yaml:"matrix"`
	Repeat     int                `yaml:"repeat"`
	Order      string             `yaml:"order"`
	SLO        objective          `yaml:"slo"`
	Columns    columnNames        `yaml:"columns"`
	Warmup     int                `yaml:"warmup"`
	ResetCache resetPaths         `yaml:"reset_cache"`
	Cooldown   time.Duration      `yaml:"cooldown"`
	Faults     Faults             `yaml:"faults"`
	Artifacts  Artifacts          `yaml:"artifacts"`
	Flags      Flags              `yaml:"flags"`
	Search     *Search            `yaml:"search"`
	Fleet      Fleet              `yaml:"fleet"`
	Routers    *routers.Settings  `yaml:"routers"`

	hasWorkload bool // the file says what is sent
}

// Target is where load goes: an address, several as one, or a command to start.
type Target struct {
	BaseURL  string   `yaml:"base_url"`
	BaseURLs []string `yaml:"base_urls"`
	Balance  string   `yaml:"balance"`
	Start
	Backends Backends `yaml:"backends"`
	Metrics  []string `yaml:"metrics_urls"` // where its metrics are; none: where its kind has them
	Map      path     `yaml:"metrics_map"`  // what names of metrics mean
	API
	Flags Flags `yaml:"flags"`
}

// Start is how servers are started, and known to be up.
type Start struct {
	Command  Command           `yaml:"command"`
	Env      map[string]string `yaml:"env"`
	Cwd      path              `yaml:"cwd"`
	Port     int               `yaml:"port"`
	Replicas int               `yaml:"replicas"`
	Devices  []string          `yaml:"devices"`
	Ready    Ready             `yaml:"ready"`
	Stop     Stop              `yaml:"stop"`
	Version  Command           `yaml:"version"`
}

// API is how a server is spoken to. A target's own wins over the workload's.
type API struct {
	Backend   string `yaml:"backend"`
	Endpoint  string `yaml:"endpoint"`
	Model     string `yaml:"model"`
	Served    string `yaml:"served_model_name"`
	Tokenizer string `yaml:"tokenizer"`
}

// Ready is how to see that a started server has come up.
type Ready struct {
	Path    string        `yaml:"path"`
	Timeout time.Duration `yaml:"timeout"`
	Request *bool         `yaml:"request"` // also wait for one real answer
}

// Stop is how a started server is ended.
type Stop struct {
	Grace time.Duration `yaml:"grace"`
}

// Workload is what is sent.
type Workload struct {
	API
	Dataset        string      `yaml:"dataset"`
	Path           path        `yaml:"path"`
	Options        keys.Values // of the dataset, by key
	NumPrompts     *int        `yaml:"num_prompts"`
	PromptsPerSlot *int        `yaml:"prompts_per_slot"`
	Seed           int         `yaml:"seed"`
	SamePrompts    bool        `yaml:"same_prompts"`
	IgnoreEOS      bool        `yaml:"ignore_eos"`
	Temperature    *float64    `yaml:"temperature"`
}

// Pace is when it is sent.
type Pace struct {
	Concurrency    *int          `yaml:"concurrency"`
	Rate           *float64      `yaml:"rate"`
	Options        keys.Values   // of the arrival process, by key
	Duration       time.Duration `yaml:"duration"`
	RequestTimeout time.Duration `yaml:"request_timeout"`
	Deadline       time.Duration `yaml:"deadline"`
}

// Artifacts is what is kept beside the results.
type Artifacts struct {
	Folder path     `yaml:"folder"`
	Keep   []string `yaml:"keep"` // globs in a started server's working folder, copied when it is stopped
}

// Search makes each point a search for the highest load within the SLO.
type Search struct {
	Over       string        `yaml:"over"`
	Min        *float64      `yaml:"min"`
	Max        *float64      `yaml:"max"`
	Precision  share         `yaml:"precision"`
	Confidence share         `yaml:"confidence"`
	Confirm    time.Duration `yaml:"confirm"`
	Time       time.Duration `yaml:"time"`
}

// Fleet has the load of each point sent by agents on other machines.
type Fleet struct {
	NATS   natsPlace         `yaml:"nats"`
	Agents int               `yaml:"agents"`
	Labels map[string]string `yaml:"labels"`
	Wait   time.Duration     `yaml:"wait"`
	Lease  time.Duration     `yaml:"lease"`
}

// The orders in which points are run.
const (
	Sequential  = "sequential"
	Interleaved = "interleaved"
	Random      = "random"
	Rotated     = "rotated"
)

// Orders are the values of the key order.
func Orders() []string { return []string{Sequential, Interleaved, Random, Rotated} }

// started says that there is a command of ours and not an address.
func (s *Start) started() bool { return len(s.Command.Args) > 0 }

// count is how many servers stand behind the target.
func (t *Target) count() int {
	if t.started() {
		return max(t.Replicas, 1)
	}
	return max(len(t.BaseURLs), 1)
}

type objective struct{ slo.SLO }

// goodName is what names of targets and scenarios may be: they are folders too.
var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]*$`)

// isFolderName also refuses the names of devices, such as con, which Windows has everywhere.
func isFolderName(name string) bool { return goodName.MatchString(name) && filepath.IsLocal(name) }

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
	case !isFolderName(s.Name):
		fail("name", "must be letters, digits, dots and dashes, since it names a folder; not %q", s.Name)
	}
	if len(s.Targets) == 0 {
		fail("targets", "is needed: at least one, with a base_url or a command")
	}
	if s.Order != "" && !slices.Contains(Orders(), s.Order) {
		fail("order", "must be %s, not %q", strings.Join(Orders(), ", "), s.Order)
	}
	if s.Search != nil && !slices.Contains(find.VaryNames(), s.Search.Over) {
		fail("search", "over must be rate, concurrency or conversations, not %q", s.Search.Over)
	}
	if s.Search != nil && len(s.SLO.SLO) == 0 {
		fail("search", "needs slo: it looks for the highest load at which that holds")
	}
	d.checkEval(s, fail)
	d.checkRouters(s, errs)
	for name := range s.Targets {
		if !isFolderName(name) {
			n := child(d.root, "targets")
			for k := range pairs(n) {
				if k.Value == name {
					errs.add(d.errorAt(k, "targets", "%q can't name a target: use letters, digits, dots and dashes", name))
				}
			}
		}
	}
}

// checkRouters looks at the section that makes the scenario a comparison of routers.
func (d *Document) checkRouters(s *Scenario, errs *errorList) {
	if s.Routers == nil {
		return
	}
	n := child(d.root, "routers")
	if key, err := s.Routers.Check(); err != nil {
		errs.add(d.errorAt(child(n, key), "routers."+key, "%v", err))
	}
	if taken := child(child(d.root, "matrix"), promptsAxis); taken != nil && s.Routers.Controlled() {
		errs.add(d.errorAt(taken, "matrix."+promptsAxis, "is the name of the control's axis: take another, or set routers.control: false"))
	}
	for _, with := range []struct {
		key   string
		given bool
	}{{"search", s.Search != nil}, {"fleet", s.Fleet.NATS != ""}, {"eval", s.Eval != nil}} {
		if with.given {
			errs.add(d.errorAt(n, "routers", "can't be together with %s: each point is one load, sent by this machine", with.key))
		}
	}
}

// checkLoop refuses a comparison of routers in a closed loop, unless it was accepted.
func (d *Document) checkLoop(root *yaml.Node, s *Scenario, errs *errorList) {
	if s.Routers == nil || s.Routers.Closed == routers.Accepted || s.Pace.Rate != nil || len(s.Pace.Options) > 0 || s.hasOwnTimes() {
		return
	}
	n := child(root, "pace")
	if n == nil {
		n = child(root, "routers")
	}
	errs.add(d.errorAt(n, "pace", "is a closed loop, in which a router decides the load that it is measured with: set pace.rate, or routers.closed: %s to have it all the same",
		routers.Accepted))
}

// checkRestart refuses to start servers anew that are not ours.
func (d *Document) checkRestart(root *yaml.Node, s *Scenario, t *Target, errs *errorList) {
	if s.Routers.Restarts() && !t.started() {
		errs.add(d.errorAt(child(root, "routers"), "routers.empty", "can't be %s for a server that the scenario does not start: use %s, and %s if it has no path for that",
			routers.Restart, routers.Reset, routers.Leave))
	}
}

// hasOwnTimes says that the workload says itself when its requests are sent.
func (s *Scenario) hasOwnTimes() bool {
	k, err := workload.Find(s.Workload.Dataset)
	return err == nil && k.Timed
}

// unshare makes the prompts of a workload share nothing, at the same lengths: the control of a comparison of routers.
func (d *Document) unshare(root *yaml.Node, errs *errorList) {
	w := child(root, "workload")
	dataset := ""
	if n := child(w, "dataset"); n != nil {
		dataset = n.Value
	}
	set, err := routers.Unshare(dataset, func(key string) (int, bool) {
		n := child(w, key)
		if n == nil {
			return 0, false
		}
		v, err := strconv.Atoi(n.Value)
		return v, err == nil
	})
	if err != nil {
		errs.add(d.errorAt(child(root, "routers"), "routers.control", "%v", err))
	}
	for key, v := range set {
		if err := d.put(root, []string{"workload", key}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(v)}); err != nil {
			errs.add(err)
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
	d.checkStart(n, key, &t.Start, t.count(), errs)
	d.checkBackends(n, key, t, errs)
	if t.Balance != "" && !slices.Contains(target.Balances(), t.Balance) {
		fail("balance", "must be %s, not %q", strings.Join(target.Balances(), ", "), t.Balance)
	}
	if t.Balance != "" && t.count() == 1 {
		fail("balance", "is for several servers, and this target is one")
	}
}

// checkStart looks at how servers are started.
func (d *Document) checkStart(n *yaml.Node, key string, s *Start, count int, errs *errorList) {
	fail := func(name, format string, args ...any) {
		at := n
		if c := child(n, name); c != nil {
			at = c
		}
		errs.add(d.errorAt(at, join(key, name), format, args...))
	}
	if !s.started() {
		for _, key := range []struct {
			name  string
			given bool
		}{
			{"env", len(s.Env) > 0}, {"cwd", s.Cwd != ""}, {"port", s.Port > 0}, {"replicas", s.Replicas > 0}, {"devices", len(s.Devices) > 0},
		} {
			if key.given {
				fail(key.name, "is for servers that are started with a command")
			}
		}
	}
	if s.started() && !strings.Contains(strings.Join(s.Command.Args, " "), "{port}") && (s.Port == 0 || count > 1) {
		fail("command", "has no {port}: put it where the server's port goes, or set port")
	}
	if s.Replicas < 0 || s.Replicas > maxReplicas {
		fail("replicas", "must be from 1 to %d, not %d", maxReplicas, s.Replicas)
	}
	if len(s.Devices) > 0 && len(s.Devices) < count {
		fail("devices", "has %d for %d replicas", len(s.Devices), count)
	}
}
