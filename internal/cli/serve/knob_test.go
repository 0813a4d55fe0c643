package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/option"
)

// knobbed is like a Spec, with one more option.
type knobbed struct {
	Load struct{} `json:"-"`
	More `json:"load" group:"Load shape"`
}

// More is a section of it.
type More struct {
	Knob int `json:"my_knob,omitempty" flag:"my-knob" default:"3" min:"1" max:"9" help:"How far it is turned."`
}

// TestAKnobIsAField: an option is one field of the Spec, and the code that uses it. Flag, help,
// completion, documents, schema, key, default and bounds are made of its tags.
func TestAKnobIsAField(t *testing.T) {
	v := option.New[knobbed]()
	f := option.Fields(v)[0]
	if v.Knob != 3 || f.Section != "load" {
		t.Errorf("%+v, %+v", v, f)
	}
	set := argv.New("x", "")
	set.Option(f, func(texts []string) error { return f.SetTexts(v, texts) })
	var help, row strings.Builder
	set.HelpAll(&help, 80)
	if !strings.Contains(help.String(), "--my-knob N") || !strings.Contains(help.String(), "Load shape") {
		t.Error(help.String())
	}
	if flag := set.Resolve("--my-k"); flag == nil || !flag.Listed() || flag.Type() != argv.TypeInt { // what completion and the man page read
		t.Errorf("%+v", flag)
	}
	writeFlagRow(&row, "my-knob", set.Lookup("my-knob"))
	if row.String() != "| `--my-knob` | supported | How far it is turned. Default: 3. |\n" {
		t.Error(row.String())
	}
	if schema, _ := json.Marshal(f.Schema()); string(schema) != `{"maximum":9,"minimum":1,"type":"integer"}` {
		t.Errorf("%s", schema)
	}
	if err := set.Parse([]string{"--my-knob", "12"}); err != nil || v.Knob != 12 {
		t.Error(v.Knob, err)
	}
	if err := option.Check(v); err == nil || err.Error() != "my_knob must be at most 9, not 12" {
		t.Error(err)
	}
	if err := f.SetJSON(v, []byte(`5`)); err != nil || v.Knob != 5 {
		t.Error(v.Knob, err)
	}
}
