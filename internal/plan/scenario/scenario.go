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
	"time"

	"github.com/inferometer/inferometer/internal/judge/slo"
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
	Pace       Pace               `yaml:"pace"`
	Matrix     *yaml.Node         `yaml:"matrix"`
	Repeat     int                `yaml:"repeat"`
	Order      string             `yaml:"order"`
	SLO        objective          `yaml:"slo"`
	Columns    columnNames        `yaml:"columns"`
	Warmup     int                `yaml:"warmup"`
	ResetCache resetPaths         `yaml:"reset_cache"`
	Cooldown   time.Duration      `yaml:"cooldown"`
	Artifacts  Artifacts          `yaml:"artifacts"`
	Flags      Flags              `yaml:"flags"`
	Search     *Search            `yaml:"search"`
}

// Target is where load goes: an address, several as one, or a command to start.
type Target struct {
	BaseURL  string            `yaml:"base_url"`
	BaseURLs []string          `yaml:"base_urls"`
	Balance  string            `yaml:"balance"`
	Command  Command           `yaml:"command"`
	Env      map[string]string `yaml:"env"`
	Cwd      path              `yaml:"cwd"`
	Port     int               `yaml:"port"`
	Replicas int               `yaml:"replicas"`
	Devices  []string          `yaml:"devices"`
	Ready    Ready             `yaml:"ready"`
	Stop     Stop              `yaml:"stop"`
	Version  Command           `yaml:"version"`
	API
	Flags Flags `yaml:"flags"`
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
	Dataset        string   `yaml:"dataset"`
	Path           path     `yaml:"path"`
	InputLen       *int     `yaml:"input_len"`
	OutputLen      *int     `yaml:"output_len"`
	PrefixLen      *int     `yaml:"prefix_len"`
	NumPrefixes    *int     `yaml:"num_prefixes"`
	RangeRatio     *float64 `yaml:"range_ratio"`
	NumPrompts     *int     `yaml:"num_prompts"`
	PromptsPerSlot *int     `yaml:"prompts_per_slot"`
	Seed           int      `yaml:"seed"`
	SamePrompts    bool     `yaml:"same_prompts"`
	IgnoreEOS      bool     `yaml:"ignore_eos"`
	Temperature    *float64 `yaml:"temperature"`
}

// Pace is when it is sent.
type Pace struct {
	Concurrency    *int          `yaml:"concurrency"`
	Rate           *float64      `yaml:"rate"`
	Burstiness     *float64      `yaml:"burstiness"`
	Duration       time.Duration `yaml:"duration"`
	Stages         string        `yaml:"stages"`
	RampRate       string        `yaml:"ramp_rate"`
	RampDuration   time.Duration `yaml:"ramp_duration"`
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

// The orders in which points are run.
const (
	Sequential  = "sequential"
	Interleaved = "interleaved"
	Random      = "random"
)

// Orders are the values of the key order.
func Orders() []string { return []string{Sequential, Interleaved, Random} }

// started says that the target is a command of ours and not an address.
func (t *Target) started() bool { return len(t.Command.Args) > 0 }

// count is how many servers stand behind the target.
func (t *Target) count() int {
	if t.started() {
		return max(t.Replicas, 1)
	}
	return max(len(t.BaseURLs), 1)
}

type objective struct{ slo.SLO }
