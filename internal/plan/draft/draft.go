// Package draft writes a first scenario for a server, from what the server says of itself.
package draft

import (
	"cmp"
	_ "embed"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/plan/scenario"
	"github.com/inferometer/inferometer/internal/send/target"
)

//go:embed draft.yaml.tmpl
var draftTemplate string

// draft is what the template shows. Its words are a server's: package target has
// made them plain, and they are written as literals, so that they can be
// nothing but words.
type draft struct {
	Name, BaseURL, Server string
	Model                 string
	MaxLen, Slots         int
	InputLen, OutputLen   int
	NumPrompts            int
	Concurrency           string
	ResetCache            bool
}

// Scenario is the text of a commented scenario for a server: what it is, the model to
// send to, how many requests it works on at a time and how long they may be (0: it
// does not say).
func Scenario(base string, id target.Identity, model target.Model, slots, maxLen int) []byte {
	v := draftOf(base, id, model)
	v.fit(slots, maxLen)
	return v.text()
}

// text fills the template. What the server does not say has no line.
func (v *draft) text() []byte {
	line := func(shown bool, text string) string {
		if !shown {
			return ""
		}
		return "\n" + text
	}
	return []byte(strings.NewReplacer(
		"{{name}}", scenario.Literal(v.Name), "{{server}}", v.Server, "{{base_url}}", scenario.Literal(v.BaseURL), "{{model}}", scenario.Literal(v.Model),
		"{{max_len}}", line(v.MaxLen > 0, fmt.Sprintf("  # Prompt and answer together have at most %d tokens.", v.MaxLen)),
		"{{input_len}}", strconv.Itoa(v.InputLen), "{{output_len}}", strconv.Itoa(v.OutputLen), "{{num_prompts}}", strconv.Itoa(v.NumPrompts),
		"{{slots}}", line(v.Slots > 0, fmt.Sprintf("  # It works on %d requests at a time; others wait.", v.Slots)), "{{concurrency}}", v.Concurrency,
		"{{reset_cache}}", line(v.ResetCache, "# reset_cache: true # forget the prefix cache before each point; vLLM needs VLLM_SERVER_DEV_MODE=1"),
	).Replace(draftTemplate))
}

var notInName = regexp.MustCompile(`[^A-Za-z0-9.]+`)

// maxDraftName keeps the name short: a folder is named after it.
const maxDraftName = 80

func draftOf(base string, id target.Identity, model target.Model) *draft {
	v := &draft{
		BaseURL: base, Model: model.ID, MaxLen: model.MaxModelLen, ResetCache: id.Kind == "vLLM",
		Server: strings.TrimSpace(cmp.Or(id.Kind, "a server of an unknown kind") + " " + id.Version),
	}
	if u, err := url.Parse(base); err == nil {
		name := notInName.ReplaceAllString(u.Hostname()+"-"+model.ID, "-")
		v.Name = strings.Trim(name[:min(len(name), maxDraftName)], "-.")
	}
	return v
}

// Larger numbers that a server tells of itself are ignored.
const (
	maxSlots   = 1 << 12
	maxContext = 1 << 30
)

// draftPrompts are enough for a p90 and for a verdict, and short enough for a first
// try at one request at a time, where 100 of them, which a p99 needs, would take
// minutes on a slow server. The table leaves out what a point can't carry.
const draftPrompts = 24

// fit chooses lengths that fit into the server's context, and concurrencies up to
// twice its slots, where it has any.
func (v *draft) fit(slots, maxLen int) {
	v.InputLen, v.OutputLen, v.Concurrency, v.NumPrompts = 512, 128, "1, 4, 16, 32", draftPrompts
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
