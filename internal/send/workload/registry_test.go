package workload

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inferometer/inferometer/internal/option"
)

// Every dataset says what it is, its defaults are within its bounds and survive JSON,
// and it listens to nothing that does not exist.
func TestKinds(t *testing.T) {
	var shared []string
	for _, f := range option.Fields(&Shared{}) {
		shared = append(shared, f.Key)
	}
	for _, k := range Kinds() {
		if k.Doc == "" {
			t.Errorf("%s does not say what it is", k.Name)
		}
		for _, key := range k.SharedKeys {
			if !slices.Contains(shared, key) {
				t.Errorf("%s listens to %s", k.Name, key)
			}
		}
		if err := option.Check(k.Options()); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		given, back := k.Options(), k.Options()
		for _, f := range option.Fields(given) {
			raw, err := f.JSON(given)
			if err == nil && raw != nil {
				err = f.SetJSON(back, raw)
			}
			if err != nil {
				t.Errorf("%s: %v", k.Name, err)
			}
		}
		if diff := cmp.Diff(k.Options(), back); diff != "" {
			t.Errorf("%s: %s", k.Name, diff)
		}
		for _, f := range option.Fields(back) {
			if f.Help == "" || f.Flag == "" {
				t.Errorf("%s: %s has no help or no flag", k.Name, f.Key)
			}
		}
	}
}

// A dataset that comes is found.
func TestOneMoreKind(t *testing.T) {
	const name = "theirs"
	k := NewKind(Kind{Name: name, File: true}, func(Options, *struct{}) (Dataset, error) { return nil, nil })
	more := kinds.With(k)
	if found, err := more.Find(name); err != nil || found != k || !k.Uses(keyPath) || k.Uses(keyDisableShuffle) {
		t.Errorf("%v, %v", found, err)
	}
	if _, err := Find(name); err == nil {
		t.Error("it is in the table of all")
	}
}
