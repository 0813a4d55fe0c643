package spec

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/internal/judge/metric"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/hardware"
	"github.com/inferometer/inferometer/internal/send/pace"
	"github.com/inferometer/inferometer/internal/send/protocol"
	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/send/workload"
	"github.com/inferometer/inferometer/internal/usage"
)

// BackendAuto stands for the best protocol of the server that is there. It is a word of
// flags and scenarios: a Spec holds the protocol that was taken.
const BackendAuto = "auto"

// BackendNames are the backends that can be asked for.
func BackendNames() []string { return append([]string{BackendAuto}, protocol.Backends()...) }

// BackendDoc says what they are.
func BackendDoc() string {
	return "auto asks the server what it is and takes the best one. " + protocol.BackendDoc()
}

// Fields are the options of a run, but for those of a dataset or a pace, in the order of
// the file. They belong to a *Spec.
var Fields = sync.OnceValue(func() []option.Field {
	fields := slices.Clone(option.Fields(&Spec{})[1:]) // the first is the version
	for i := range fields {
		switch f := &fields[i]; f.Flag {
		case "backend":
			f.Help, f.Choices = "The protocol. "+BackendDoc()+".", BackendNames()
		case "balance":
			f.Choices = target.Balances()
		case "dataset-name":
			f.Choices = workload.Names()
		case "percentile-metrics":
			f.Offered = metric.ReportedNames()
			f.Help = strings.Replace(f.Help, "{names}", strings.Join(f.Offered, ", "), 1)
		case "hardware":
			f.Offered = append([]string{hardware.Auto, hardware.None}, hardware.Names()...)
			f.Help = strings.Replace(f.Help, "{names}", strings.Join(hardware.Names(), ", "), 1)
		}
		if f := &fields[i]; len(f.Choices) > 0 {
			f.Metavar = "{" + strings.Join(f.Choices, "|") + "}"
		}
	}
	return fields
})

// Field is the option of a flag, which must be one of Fields. One without a flag is named
// by its key, with dashes.
func Field(flag string) option.Field {
	return Fields()[slices.IndexFunc(Fields(), func(f option.Field) bool { return option.FlagName([]option.Field{f}, f.Key) == flag })]
}

// has says that the option of a flag was given a value.
func (s *Spec) has(flag string) bool {
	f := Field(flag)
	return !f.Reflect(s).IsZero()
}

// Either is a list in words: a, b or c.
func Either(names []string) string {
	n := len(names) - 1
	if n < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:n], ", ") + " or " + names[n]
}

// key is one key of a Spec's file: an option and the struct that holds it.
type key struct {
	field option.Field
	of    any
	draft *pace.Draft // not nil: the option is one of some pace
	must  bool        // written although it is empty
}

func (k *key) omitted() bool {
	v := k.field.Reflect(k.of)
	return (k.field.Omit || k.field.Optional) && !k.must && (v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0)
}

func (k *key) setJSON(raw json.RawMessage) error {
	if k.draft != nil {
		return k.draft.SetJSON(k.field.Key, raw)
	}
	return k.field.SetJSON(k.of, raw)
}

// section is one part of a Spec's file.
type section struct {
	name string
	keys []key
}

// sections lists all keys of the Spec in their order. The keys of all paces are there
// where draft takes them, else those of the one.
func (s *Spec) sections(draft *pace.Draft) (list []section) {
	k, err := workload.Find(s.DatasetName)
	for _, f := range Fields() {
		if len(list) == 0 || list[len(list)-1].name != f.Section {
			list = append(list, section{name: f.Section})
		}
		// What all datasets share and has a default is written where the dataset uses it: the
		// default of a later version may be another.
		used := err == nil && f.Section == "dataset" && f.Default != "" && k.Uses(f.Key)
		if f.Flag == "dataset-name" {
			f.Choices = nil // ChooseDataset has looked at it, and knows batches too
		}
		at := &list[len(list)-1]
		at.keys = append(at.keys, key{field: f, of: s, must: used})
	}
	for i := range list {
		at := &list[i]
		switch {
		case at.name == "dataset":
			at.add(s.DatasetOptions)
		case at.name == "pace" && draft != nil:
			for _, f := range pace.Fields() {
				at.keys = append(at.keys, key{field: f, draft: draft})
			}
		case at.name == "pace":
			at.add(s.PaceOptions)
		}
	}
	return list
}

func (section *section) add(of any) {
	for _, f := range option.Fields(of) {
		section.keys = append(section.keys, key{field: f, of: of})
	}
}

// Keys are the keys of all options by their flags, those of datasets and paces among them.
func Keys() map[string]string {
	keys := map[string]string{}
	add := func(section string, fields []option.Field) {
		for _, f := range fields {
			keys[option.FlagName([]option.Field{f}, f.Key)] = section + "." + f.Key
		}
	}
	for _, f := range Fields() {
		add(f.Section, []option.Field{f})
	}
	for _, k := range workload.Kinds() {
		add("dataset", option.Fields(k.Options()))
	}
	add("pace", pace.Fields())
	return keys
}

// Set gives the option of a flag, which is named without dashes, the value that texts say:
// one of the Spec itself, of the dataset that is chosen, or of any pace. Every error is a
// *usage.Error. Bounds are left to Validate.
func (s *Spec) Set(flag string, texts ...string) error {
	switch flag {
	case "dataset-name":
		if len(texts) > 0 {
			return s.ChooseDataset(texts[len(texts)-1])
		}
	case "targets":
		flag = "base-url"
	}
	byFlag := func(f option.Field) bool { return f.Flag == flag }
	own := Fields()
	if i := slices.IndexFunc(own, byFlag); i >= 0 {
		return flagError(own[i].SetTexts(s, texts), own)
	}
	own = option.Fields(s.DatasetOptions)
	if i := slices.IndexFunc(own, func(f option.Field) bool { return f.Flag == flag || f.Follows == flag }); i >= 0 {
		return flagError(own[i].SetTexts(s.DatasetOptions, texts), own)
	}
	if i := slices.IndexFunc(pace.Fields(), byFlag); i >= 0 {
		return s.setPaceOption(pace.Fields()[i], texts)
	}
	return usage.Errorf(flag, "is no option of a run with the dataset %s", s.DatasetName)
}

// setPaceOption takes the process that an option asks for beside those that are set.
func (s *Spec) setPaceOption(f option.Field, texts []string) error {
	d := pace.NewDraft()
	for _, set := range option.Fields(s.PaceOptions) {
		if text, ok := set.Text(s.PaceOptions); ok && text != set.Default && set.Key != f.Key {
			if err := d.Set(set.Key, text); err != nil {
				return flagError(err, pace.Fields())
			}
		}
	}
	if err := d.Set(f.Key, strings.Join(texts, " ")); err != nil {
		return flagError(err, pace.Fields())
	}
	return s.SetPace(d)
}

// Get is the value of a flag's option as Set reads it; nil: it has none.
func (s *Spec) Get(flag string) []string {
	for _, section := range s.sections(nil) {
		for _, k := range section.keys {
			if k.field.Flag == flag {
				return k.field.Texts(k.of)
			}
		}
	}
	return nil
}
