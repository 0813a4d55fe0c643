package spec

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/send/workload/batches"
	"github.com/inferometer/inferometer/internal/usage"
)

// Dataset says where the prompts come from. In a file the options of the dataset
// stand beside its name.
type Dataset struct {
	DatasetName     string                `json:"name" flag:"dataset-name" common:"true" default:"random" help:"Where the prompts come from."`
	DatasetRevision string                `json:"hub_revision,omitempty" flag:"dataset-revision" whole:"true" metavar:"REVISION" shown:"main" help:"hf: the branch, tag or commit of a set on Hugging Face's hub."` // in a run's folder the commit
	Batches         *batches.BatchOptions `json:"batches,omitempty"`                                                                                                                                                // batches of one shape, in place of a named dataset
	workload.Shared
	DatasetOptions any `json:"-"` // the dataset's own, as its workload.Kind makes them
}

// BatchesName is the dataset of batches of one shape.
const BatchesName = "batches"

// hubDataset is the dataset that comes from the hub.
const hubDataset = "hf"

// defaultDataset is vLLM's.
const defaultDataset = "random"

// ChooseDataset names the dataset, with the defaults of its options.
func (s *Spec) ChooseDataset(name string) error {
	if name == BatchesName {
		s.DatasetName, s.DatasetOptions = name, nil
		return nil
	}
	k, err := workload.Find(name)
	if err != nil {
		return usage.Errorf("dataset-name", "must be one of %s, not %q", strings.Join(workload.Names(), ", "), outside.Word(name))
	}
	s.DatasetName, s.DatasetOptions = name, k.Options()
	return nil
}

// checkDataset holds the dataset's options against their bounds and each other.
func (s *Spec) CheckDataset() error {
	if s.Batches != nil {
		return nil // made by a command of ours
	}
	if s.DatasetRevision != "" && s.DatasetName != hubDataset && !s.Asks() {
		return usage.Errorf("dataset-revision", "is that of a set of Hugging Face's hub: it needs %s %s, not %s", usage.Ref("dataset-name"), hubDataset, s.DatasetName)
	}
	o := s.WorkloadOptions()
	return flagError(workload.Check(&o), append(option.Fields(&s.Shared), option.Fields(s.DatasetOptions)...))
}

// flagError names the options of an [option.Error] by their flags.
func flagError(err error, fields []option.Field) error {
	var e *option.Error
	if !errors.As(err, &e) {
		return err
	}
	return e.Usage("", fields)
}

// datasetOptions are the dataset's options for package workload.
func (s *Spec) WorkloadOptions() workload.Options {
	o := workload.Options{
		Dataset: s.DatasetName, NumPrompts: s.NumPrompts, Seed: uint64(s.Seed), Chat: s.Chat(), SelfTimed: s.SelfTimed(), Carries: s.carries(), Shared: s.Shared, Own: s.DatasetOptions,
		Lanes: Deref(s.MaxConversations, 0), Endless: s.Unbounded,
	}
	if s.May != nil {
		o.Reads = workload.Reads{Allowed: s.May.Read, Strict: s.May.Stranger}
		o.Confined = s.May.closed
	}
	if s.Unbounded {
		o.NumPrompts = unboundedPrompts
		if k, err := workload.Find(s.DatasetName); err == nil && k.Most > 0 {
			o.NumPrompts = k.Most
		}
		if s.Until != "" {
			o.NumPrompts = min(o.NumPrompts, untilPrompts)
		}
	}
	return o
}

// Chat says that the server makes the prompt of messages.
func (s *Spec) Chat() bool { return s.API().Chat }

// unboundedPrompts is how many requests a run that ends by time prepares for, at most.
const unboundedPrompts = 1 << 20

// Pace says when requests are sent. In a file the options of the arrival process stand
// beside its name; without a name they say which one is meant.
type Pace struct {
	PaceName    string `json:"name"`
	PaceOptions any    `json:"-"` // the process's own, as its pace.Kind makes them
}

// SetPace takes the process that a draft asks for.
func (s *Spec) SetPace(d *pace.Draft) error {
	k, own, err := d.Choose(s.concurrent())
	if err != nil {
		return flagError(err, pace.Fields())
	}
	s.PaceName, s.PaceOptions = k.Name, own
	return nil
}

// concurrent says that what is on its way is bounded: without a rate it is a closed loop.
func (s *Spec) concurrent() bool { return s.MaxConcurrency != nil || s.MaxConversations != nil }

// Talks says that the dataset has conversations.
func (s *Spec) Talks() bool {
	if own, ok := s.DatasetOptions.(interface{ Talks() bool }); ok {
		return own.Talks()
	}
	k, err := workload.Find(s.DatasetName)
	return err == nil && k.Talks
}

// mayTalk says that the dataset's file decides whether it has conversations.
func (s *Spec) mayTalk() bool {
	own, ok := s.DatasetOptions.(interface{ MayTalk() bool })
	return ok && own.MayTalk()
}

// SelfTimed says that requests are sent at the dataset's own times.
func (s *Spec) SelfTimed() bool {
	k, err := workload.Find(s.DatasetName)
	paced := s.MaxConversations != nil || s.PaceName != "" && s.PaceName != pace.Closed && s.PaceName != pace.Burst && s.PaceName != pace.Dataset
	return err == nil && s.Batches == nil && k.SelfTimed(s.DatasetOptions, paced)
}

// paceKind is the process of the run. Without a rate the concurrency says whether it
// is a closed loop.
func (s *Spec) paceKind() *pace.Kind {
	name := s.PaceName
	switch {
	case s.SelfTimed():
		name = pace.Dataset
	case name == "" || name == pace.Closed || name == pace.Burst:
		name = pace.Burst
		if s.concurrent() {
			name = pace.Closed
		}
	}
	k, err := pace.Find(name)
	if err != nil {
		return &pace.Kind{Name: name} // Validate says so
	}
	return k
}

// resolvePace names the process.
func (s *Spec) resolvePace() {
	switch {
	case s.PaceName == "":
		s.PaceOptions = s.paceKind().Options()
	case s.SelfTimed(): // whatever rate was given
		s.PaceOptions = &pace.SpreadOptions{Burstiness: s.Burstiness()}
	}
	s.PaceName = s.paceKind().Name
}

// paceNumber is an option of the process that is a number, or what it is without it.
func (s *Spec) paceNumber(key string, without float64) float64 {
	if f, ok := option.Find(s.PaceOptions, key); ok {
		if v, ok := f.Value(s.PaceOptions).(float64); ok {
			return v
		}
	}
	return without
}

// Rate is the rate of a process with one rate, else inf.
func (s *Spec) Rate() float64 { return s.paceNumber("rate", math.Inf(1)) }

// SetRate changes the rate of a process with one rate. The options are not shared with
// other copies of the Spec afterwards.
func (s *Spec) SetRate(rate float64) {
	own := s.paceKind().Options()
	for _, f := range option.Fields(own) {
		v := f.Reflect(s.PaceOptions)
		if f.Key == "rate" {
			v = reflect.ValueOf(rate)
		}
		f.Reflect(own).Set(v)
	}
	s.PaceOptions = own
}

// Burstiness is that of the gaps.
func (s *Spec) Burstiness() float64 {
	if s.PaceName == pace.Constant {
		return math.Inf(1)
	}
	return s.paceNumber("burstiness", 1)
}

// timed reports whether the run ends after a time rather than after a number of requests.
func (s *Spec) Timed() bool { return s.Duration > 0 || s.paceKind().Timed }

// checkPace holds the options of the process against their bounds and each other.
func (s *Spec) checkPace() error {
	if _, err := pace.Find(s.PaceName); err != nil {
		return usage.Errorf("pace", "%v", err)
	}
	if s.PaceName == pace.Dataset && !s.SelfTimed() {
		return usage.Errorf("pace", "can't be %s: the dataset %s has no times of its own, or they are not to be used", pace.Dataset, s.DatasetName)
	}
	p := s.PaceSpec(s.NumPrompts)
	return flagError(pace.Check(&p), append(option.Fields(s.PaceOptions), pace.Fields()...))
}

// twoLengths is the error of a run with --duration whose process lasts a time of its own.
func (s *Spec) twoLengths() error {
	by := usage.Ref(option.FlagName(pace.Fields(), s.paceKind().By))
	if s.PaceName == pace.RampTime {
		return usage.Errorf("duration", "can't be used together with %s: %s says how long the run lasts", by, usage.Ref("ramp-duration")).
			WithHint("use --stages to hold the rate after a ramp, as in 60s@5-50,5m@50")
	}
	return usage.Errorf("duration", "can't be used together with %s: they say how long the run lasts", by)
}

// SpawnTime is how long it takes until all users are there.
func (s *Spec) SpawnTime() time.Duration {
	if s.MaxConcurrency == nil || s.SpawnRate <= 0 {
		return 0
	}
	return time.Duration(float64(*s.MaxConcurrency-1) / s.SpawnRate * float64(time.Second))
}

// sendFor is the bound in time, from the moment when all users are there; 0: no bound.
func (s *Spec) sendFor() time.Duration {
	if s.Duration == 0 {
		return 0
	}
	return s.Duration + s.SpawnTime()
}

// Length is how long the run sends, where the Spec says so.
func (s *Spec) Length() time.Duration {
	sum := s.sendFor()
	if own, ok := s.PaceOptions.(interface{ Length() time.Duration }); ok {
		sum += own.Length() // only one of the two can be given
	}
	return sum
}

// paceSpec is the arrival process for package pace; n is how many requests there are.
func (s *Spec) PaceSpec(n int) pace.Spec {
	p := pace.Spec{Name: s.paceKind().Name, Own: s.PaceOptions, N: n, Seed: uint64(s.Seed), Duration: s.sendFor()}
	if s.Unbounded || s.Batches != nil { // batches of one shape end with their source, which has unmeasured requests too
		p.N = 0
	}
	return p
}

// choose makes the options of what the file chooses by name, before they are read. A
// pace without a name is chosen by its options, when all has been read: they go to
// the draft.
func (s *Spec) choose(top map[string]json.RawMessage) (*pace.Draft, error) {
	var dataset, pacing struct{ Name *string }
	// What is no object, or has no text as its name, is told when it is read.
	_ = json.Unmarshal(top["dataset"], &dataset)
	_ = json.Unmarshal(top["pace"], &pacing)
	s.DatasetName, s.PaceName = cmp.Or(s.DatasetName, defaultDataset), ""
	if dataset.Name != nil || s.DatasetOptions == nil {
		if dataset.Name != nil {
			s.DatasetName = *dataset.Name
		}
		if err := s.ChooseDataset(s.DatasetName); err != nil {
			return nil, inFile(err)
		}
	}
	if pacing.Name == nil || *pacing.Name == "" {
		if len(top["pace"]) > 0 {
			return pace.NewDraft(), nil
		}
		return nil, nil
	}
	k, err := pace.Find(*pacing.Name)
	if err != nil {
		return nil, wrong("pace.name: %v", err)
	}
	s.PaceName, s.PaceOptions = k.Name, k.Options()
	return nil, nil
}

// Listed says that all requests are known before they are sent. Else time or answers decide
// how many there are.
func (s *Spec) Listed() bool {
	closed := s.paceKind().Name == pace.Closed
	return s.MaxRequests == 0 && !(closed && (s.Timed() || s.Unbounded)) && s.Until == ""
}
