package serve

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/spec"
)

// What can be chosen describes itself in its registry: a dataset, an arrival process, a
// backend. Its flags and their help are declared here from there, in a loop.

// definePace declares flags of arrival processes, by their keys; without keys all that
// are not declared yet.
func (o *Options) definePace(set *argv.Set, group string, keys ...string) {
	fields := pace.Fields()
	wanted := func(f option.Field) bool { return set.Lookup(f.Flag) == nil }
	if len(keys) > 0 {
		slices.SortStableFunc(fields, func(a, b option.Field) int { return slices.Index(keys, a.Key) - slices.Index(keys, b.Key) })
		wanted = func(f option.Field) bool { return slices.Contains(keys, f.Key) }
	}
	for _, f := range fields {
		if f.Flag != "" && wanted(f) {
			set.Option(f, func(texts []string) error { return o.draft.Set(f.Key, strings.Join(texts, " ")) }, argv.Group(group))
		}
	}
}

// The general lengths: as in vLLM they win over the flags of the chosen dataset.
const (
	inputLen  = "input-len"
	outputLen = "output-len"
)

func DefineDataset(set *argv.Set, o *Options) {
	g := argv.Group(groupDataset)
	for _, f := range spec.Fields() {
		if f.Section == "dataset" && f.Flag != "" {
			o.Flag(set, f.Flag, argv.Help(sharedHelp(f)))
		}
	}
	fields := kindFields()
	set.OptInt(&o.InputLen, inputLen, "Prompt tokens for "+followers(fields, inputLen)+". Wins over their own flags.", g)
	set.OptInt(&o.OutputLen, outputLen, "Output tokens for "+followers(fields, outputLen)+". Wins over their own flags.", g)
	o.datasets = map[string]any{}
	for _, k := range workload.Kinds() {
		o.datasets[k.Name] = k.Options()
	}
	for _, k := range workload.Kinds() {
		for _, f := range option.Fields(o.datasets[k.Name]) {
			if f.Flag != "" && set.Lookup(f.Flag) == nil {
				f.Help = strings.Join(owners(fields, f.Flag), ", ") + ": " + f.Help
				set.Option(f, func(texts []string) error { return o.setDatasets(f.Flag, texts...) }, g)
			}
		}
	}
	for _, f := range option.Fields(o.datasets[workload.EvalName]) {
		set.Seldom(f.Flag) // questions are asked by inferometer eval, where these are common
	}
}

// setDatasets gives a flag's value to all datasets that have the flag.
func (o *Options) setDatasets(flag string, texts ...string) error {
	for _, own := range o.datasets {
		for _, f := range option.Fields(own) {
			if f.Flag != flag {
				continue
			}
			if err := f.SetTexts(own, texts); err != nil {
				return err
			}
		}
	}
	return nil
}

// kindFields are the options of each dataset, in the registry's order: made once for all flags that ask.
func kindFields() (all [][]option.Field) {
	for _, k := range workload.Kinds() {
		all = append(all, option.Fields(k.Options()))
	}
	return all
}

// kindsWith are the names of the datasets with an option that has something.
func kindsWith(fields [][]option.Field, has func(option.Field) bool) (names []string) {
	for i, k := range workload.Kinds() {
		if slices.ContainsFunc(fields[i], has) {
			names = append(names, k.Name)
		}
	}
	return names
}

func owners(fields [][]option.Field, flag string) []string {
	return kindsWith(fields, func(f option.Field) bool { return f.Flag == flag })
}

// followers are the datasets that a general flag speaks to, in words.
func followers(fields [][]option.Field, general string) string {
	names := kindsWith(fields, func(f option.Field) bool { return f.Follows == general })
	if len(names) == len(fields) {
		return "any dataset"
	}
	return "the dataset: " + both(names)
}

// sharedHelp says which datasets an option of all is for, where they are few.
func sharedHelp(f option.Field) string {
	var names []string
	for _, k := range workload.Kinds() {
		if k.Uses(f.Key) {
			names = append(names, k.Name)
		}
	}
	switch {
	case f.Flag == "dataset-path":
		return strings.TrimSuffix(f.Help, ".") + ", for " + both(names) + "."
	case len(names) == 1:
		return names[0] + ": " + strings.ToLower(f.Help[:1]) + f.Help[1:]
	}
	return f.Help
}

// both is a list in words: a, b and c.
func both(names []string) string { return strings.Replace(spec.Either(names), " or ", " and ", 1) }

// setChoices takes what the flags say of the dataset and the pace into the Spec.
func (o *Options) setChoices(*argv.Set) error {
	if err := o.setDataset(); err != nil {
		return err
	}
	return o.SetPace(o.draft)
}

func (o *Options) setDataset() error {
	if o.datasets == nil {
		return o.ChooseDataset(o.DatasetName) // a command without these flags
	}
	for _, k := range workload.Kinds() { // of those that are not chosen too: a slip stays a slip
		for _, f := range option.Fields(o.datasets[k.Name]) {
			if err := f.Check(o.datasets[k.Name]); err != nil {
				return argv.OptionError(f.Flag, err)
			}
		}
	}
	o.DatasetOptions = o.datasets[o.DatasetName]
	for _, f := range option.Fields(o.DatasetOptions) {
		n := map[string]*int{inputLen: o.InputLen, outputLen: o.OutputLen}[f.Follows]
		if n == nil {
			continue
		}
		if err := f.SetText(o.DatasetOptions, strconv.Itoa(*n)); err != nil {
			return argv.OptionError(f.Follows, err)
		}
		if err := f.Check(o.DatasetOptions); err != nil {
			return argv.OptionError(f.Follows, err)
		}
	}
	return nil
}

// checkLengths looks at the general lengths, which may speak to no dataset at all.
func (o *Options) checkLengths() error {
	for name, n := range map[string]*int{inputLen: o.InputLen, outputLen: o.OutputLen} {
		own := o.DatasetName == "custom" && name == outputLen // -1: its rows say it themselves
		if n != nil && *n < 1 && !(own && *n == -1) {
			return argv.Errorf(name, "must be at least 1, not %d", *n)
		}
		if n != nil && *n > math.MaxInt32 {
			return argv.Errorf(name, "must be at most %d, not %d", math.MaxInt32, *n)
		}
	}
	return nil
}

// datasetNotes say which flags the chosen dataset does not listen to, and which win.
func (o *Options) datasetNotes(set *argv.Set, note func(when bool, format string, args ...any)) {
	hears := func(k *workload.Kind, flag string) bool {
		return slices.ContainsFunc(option.Fields(k.Options()), func(f option.Field) bool { return f.Flag == flag || f.Follows == flag }) ||
			slices.ContainsFunc(option.Fields(&o.Shared), func(f option.Field) bool { return f.Flag == flag && k.Uses(f.Key) })
	}
	chosen, err := workload.Find(o.DatasetName)
	if err != nil {
		return
	}
	for _, flag := range set.Flags() {
		if flag.Name == noStream && o.noStreamIsUnstreamed(set) {
			note(!set.Seen("unstreamed"), "--no-stream: answers are not streamed; with --dataset-name hf it is about rows, and --unstreamed says this with any dataset")
			continue
		}
		some := slices.ContainsFunc(workload.Kinds(), func(k *workload.Kind) bool { return hears(k, flag.Name) })
		note(some && set.Seen(flag.Name) && !hears(chosen, flag.Name), "--%s has no effect with --dataset-name %s", flag.Name, o.DatasetName)
		for _, f := range option.Fields(o.DatasetOptions) {
			if f.Flag == flag.Name && f.Follows != "" && set.Lookup(f.Follows) != nil {
				note(set.Seen(f.Flag) && set.Seen(f.Follows), "--%s wins over --%s", f.Follows, f.Flag)
			}
		}
	}
}
