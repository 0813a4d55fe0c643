package target

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Self is what a server says of itself, in one line: its models, its kind and version,
// and what llama.cpp tells of its build, model file and slots. Two servers that were
// at one address at different times are told apart by it. Whatever changes from one
// question to the next is left out (vLLM's created is the time of the question).
func (t *Target) Self(ctx context.Context) (string, error) {
	models, err := t.Models(ctx)
	if err != nil {
		return "", err
	}
	slices.SortFunc(models, func(a, b Model) int { return strings.Compare(a.ID, b.ID) })
	var words []string
	for i := range models {
		if i == mostModels {
			words = append(words, fmt.Sprintf("%d models more", len(models)-i))
			break
		}
		words = append(words, models[i].self())
	}
	is := t.Identify(ctx)
	if is.Kind != "" || is.Version != "" {
		words = append(words, strings.TrimSpace(is.Kind+" "+outside.Word(is.Version)))
	}
	if is.Kind == "llama.cpp" {
		words = append(words, t.selfOfProps(ctx)...)
	}
	return outside.Line(strings.Join(words, apart), mostSelf), nil
}

// Differ is what two servers say of themselves that the other one does not.
func Differ(a, b string) (onlyA, onlyB string) {
	only := func(of, but string) string {
		words := strings.Split(of, apart)
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return slices.Contains(strings.Split(but, apart), w) }), apart)
	}
	return cmp.Or(only(a, b), "nothing"), cmp.Or(only(b, a), "nothing")
}

// apart stands between the things that a server says.
const apart = "; "

const (
	mostModels = 20
	mostSelf   = 2000
)

func (m *Model) self() string {
	text := outside.Word(m.ID)
	if m.Root != "" && m.Root != m.ID {
		text += " from " + outside.Word(m.Root)
	}
	if n := m.Context(); n > 0 {
		text += fmt.Sprintf(", context %d", n)
	}
	if m.Meta.Bytes > 0 {
		text += fmt.Sprintf(", %d parameters in %d bytes", m.Meta.Params, m.Meta.Bytes)
	}
	return text
}

// selfOfProps is what tells one llama-server from another with the same model.
func (t *Target) selfOfProps(ctx context.Context) (words []string) {
	p, ok := t.props(ctx)
	if !ok {
		return nil
	}
	if p.ModelPath != "" {
		words = append(words, outside.Word(p.ModelPath))
	}
	return append(words, fmt.Sprintf("%d slots of %d tokens", p.Slots, p.Settings.Context))
}
