package cli

import (
	"bytes"
	"cmp"
	_ "embed"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"text/template"

	"github.com/inferometer/inferometer/internal/plan/scenario"
	"github.com/inferometer/inferometer/internal/send/target"
)

//go:embed init.yaml.tmpl
var initTemplate string

// initView is what the template shows. Its words are a server's: package target has
// made them plain, and the template writes them as literals, so that they can be
// nothing but words.
type initView struct {
	Name, BaseURL, Server string
	Model                 string
	MaxLen, Slots         int
	InputLen, OutputLen   int
	NumPrompts            int
	Concurrency           string
	ResetCache            bool
}

// text is the scenario's file.
func (v *initView) text() ([]byte, error) {
	t, err := template.New("").Funcs(template.FuncMap{"literal": scenario.Literal}).Parse(initTemplate)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, v)
	return b.Bytes(), err
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// maxInitName keeps the name short: a folder is named after it.
const maxInitName = 80

func viewOf(base string, id target.Identity, model target.Model) *initView {
	v := &initView{
		BaseURL: base, Model: model.ID, MaxLen: model.MaxModelLen, ResetCache: id.Kind == "vLLM",
		Server: strings.TrimSpace(cmp.Or(id.Kind, "a server of an unknown kind") + " " + id.Version),
	}
	if u, err := url.Parse(base); err == nil {
		name := notInName.ReplaceAllString(u.Hostname()+"-"+model.ID, "-")
		v.Name = strings.Trim(name[:min(len(name), maxInitName)], "-.")
	}
	return v
}

// What a server may tell of itself and be believed.
const (
	maxSlots   = 1 << 12
	maxContext = 1 << 30
)

// initPrompts are enough for a p90 and for a verdict, and short enough for a first
// try at one request at a time, where 100 of them, which a p99 needs, would take
// minutes on a slow server. The table leaves out what a point can't carry.
const initPrompts = 24

// fit chooses lengths that fit into the server's context, and concurrencies up to
// twice its slots, where it has any.
func (v *initView) fit(slots, maxLen int) {
	v.InputLen, v.OutputLen, v.Concurrency, v.NumPrompts = 512, 128, "1, 4, 16, 32", initPrompts
	if v.MaxLen = cmp.Or(maxLen, v.MaxLen); v.MaxLen < 0 || v.MaxLen > maxContext {
		v.MaxLen = 0
	}
	if v.MaxLen > 0 && v.MaxLen < 1024 {
		v.InputLen, v.OutputLen = max(v.MaxLen/4, 1), max(v.MaxLen/8, 1)
	}
	if slots > 0 && slots <= maxSlots {
		v.Slots = slots
		var steps []string
		for n := 1; n <= 2*slots; n *= 2 {
			steps = append(steps, strconv.Itoa(n))
		}
		v.Concurrency = strings.Join(steps, ", ")
	}
}
