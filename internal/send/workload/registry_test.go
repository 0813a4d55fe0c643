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
		for _, key := range k.Listens {
			if !slices.Contains(shared, key) {
				t.Errorf("%s listens to %s", k.Name, key)
			}
		}
		if err := option.Check(k.Options()); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		raw, err := option.Encode(k.Options())
		if err != nil {
			t.Fatal(err)
		}
		back := k.Options()
		if err := option.Decode(raw, back); err != nil {
			t.Errorf("%s: %v", k.Name, err)
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

func TestRegister(t *testing.T) {
	name, refused := "new_bench", Refused()
	if len(refused) > 0 {
		name = refused[0]
	}
	k := NewKind(Kind{Name: name, File: true}, func(Options, *struct{}) (Dataset, error) { return nil, nil })
	remove := Register(k)
	if found, err := Find(name); err != nil || found != k || slices.Contains(Refused(), name) || !k.Hears(keyPath) || k.Hears(keyDisableShuffle) {
		t.Errorf("%v, %v, refused are %v", found, err, Refused())
	}
	remove()
	if _, err := Find(name); err == nil || !slices.Equal(Refused(), refused) {
		t.Error("it is still there")
	}
	defer func() {
		if recover() == nil {
			t.Error("a name can be taken twice")
		}
	}()
	Register(random)
}
