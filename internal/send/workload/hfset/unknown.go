package hfset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/files/table"
	"github.com/inferometer/inferometer/internal/outside"
)

// unknownOutput is what is asked for where nothing says how much.
const unknownOutput = 256

// promptColumns are where the prompts of a set that is not known are looked for, in this order.
var promptColumns = []string{"prompt", "question", "problem", "instruction", "query", "input", "text", "turns", "conversations", "conversation", "messages"}

// Unknown is a set that vLLM does not know: its prompts lie in a column that is given, or
// found by its name.
func Unknown(o *Options) (*Set, error) {
	names, err := dataFiles(o.Path, o.Subset, o.Split)
	if err != nil {
		return nil, err
	}
	f, err := table.Open(names[0])
	if err != nil {
		return nil, err
	}
	defer f.Close()
	columns := f.Columns()
	guessed := ""
	if o.PromptColumn == "" {
		i := slices.IndexFunc(promptColumns, func(c string) bool { return slices.Contains(columns, c) })
		if i < 0 {
			return nil, fmt.Errorf("%s is none of the known sets, and none of its columns is a prompt by its name; it has %s: choose one with --hf-prompt-column, or a known set with --hf-name",
				o.Path, outside.Sentence(strings.Join(columns, ", ")))
		}
		guessed = promptColumns[i]
		o.PromptColumn = guessed
	}
	s := &Set{Names: []string{o.Path}, Columns: []string{o.PromptColumn}, Output: unknownOutput, Wrap: Template, Read: readUnknown, Guessed: guessed}
	for flag, c := range map[string]string{"prompt": o.PromptColumn, "answer": o.AnswerColumn, "image": o.ImageColumn} {
		if c == "" {
			continue
		}
		if !slices.Contains(columns, c) {
			return nil, fmt.Errorf("%s has no column %q; it has %s (--hf-%s-column)", names[0], c, outside.Sentence(strings.Join(columns, ", ")), flag)
		}
		if c != o.PromptColumn {
			s.Columns = append(s.Columns, c)
		}
	}
	if o.AnswerColumn != "" {
		s.Output = 0
	}
	if o.ImageColumn != "" {
		s.Chat, s.Wrap = true, Bare
	}
	return s, nil
}

func readUnknown(row table.Object, o *Options) (s Sample, ok bool, err error) {
	if s.Prompt, ok = promptIn(row.Get(o.PromptColumn), 0); !ok {
		return s, false, nil
	}
	if o.AnswerColumn != "" {
		v := row.Get(o.AnswerColumn)
		if n, isNumber := number(v); isNumber {
			s.Output = int(n)
		} else if s.Answer, ok = promptIn(v, 0); !ok {
			return s, false, nil
		}
	}
	if o.ImageColumn == "" {
		return s, true, nil
	}
	images, isList := row.Get(o.ImageColumn).([]any)
	if !isList {
		images = []any{row.Get(o.ImageColumn)}
	}
	for _, image := range images {
		parts, err := imageParts(image, o)
		if err != nil {
			return s, false, err
		}
		s.Media = append(s.Media, parts...)
	}
	return s, true, nil
}

// promptIn is the first text of a value: of a list its first element, of a message its content.
func promptIn(v any, depth int) (string, bool) {
	if depth > 4 {
		return "", false
	}
	switch v := v.(type) {
	case []any:
		if len(v) == 0 {
			return "", false
		}
		return promptIn(v[0], depth+1)
	case table.Object:
		for _, name := range []string{"content", "value", "text"} {
			if v.Has(name) {
				return promptIn(v.Get(name), depth+1)
			}
		}
		return "", false
	}
	text, ok := table.Text(v)
	return text, ok && text != ""
}

// speech are vLLM's sets of recorded speech.
var speech = []string{
	"openslr/librispeech_asr", "facebook/voxpopuli", "LIUM/tedlium", "edinburghcstr/ami", "speechcolab/gigaspeech", "kensho/spgispeech",
	"ArtificialAnalysis/Earnings22-Cleaned-AA", "D4nt3/esb-datasets-earnings22-validation-tiny-filtered",
}

// IsSpeech says whether a name is that of a set of speech.
func IsSpeech(name string) bool { return slices.Contains(speech, name) }
