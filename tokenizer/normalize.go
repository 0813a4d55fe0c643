package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dlclark/regexp2/v2"
	"golang.org/x/text/unicode/norm"
)

// A normalizer rewrites text before it is split.
type normalizer func(text string) string

// newNormalizers flattens the normalizer section into steps.
func newNormalizers(s *step) ([]normalizer, error) {
	if s == nil {
		return nil, nil
	}
	switch s.Type {
	case "Sequence":
		return flatten(s.Normalizers, newNormalizers)
	case "NFC":
		return []normalizer{norm.NFC.String}, nil
	case "NFD":
		return []normalizer{norm.NFD.String}, nil
	case "NFKC":
		return []normalizer{norm.NFKC.String}, nil
	case "NFKD":
		return []normalizer{norm.NFKD.String}, nil
	case "Lowercase":
		return []normalizer{strings.ToLower}, nil
	case "Prepend":
		if len(s.Prepend) > maxContent {
			return nil, fmt.Errorf("normalizer Prepend: its text has more than %d bytes", maxContent)
		}
		return []normalizer{func(text string) string {
			if text == "" {
				return ""
			}
			return s.Prepend + text
		}}, nil
	case "Replace":
		n, err := newReplace(s)
		return []normalizer{n}, err
	}
	return nil, unsupported("normalizer", s.Type)
}

// maxContent bounds what one character may become: real files have a mark or a space.
const maxContent = 64

func newReplace(s *step) (normalizer, error) {
	var content string
	if err := json.Unmarshal(s.Content, &content); err != nil {
		return nil, fmt.Errorf("normalizer Replace: its content is no text: %w", err)
	}
	if len(content) > maxContent {
		return nil, fmt.Errorf("normalizer Replace: its content has more than %d bytes", maxContent)
	}
	switch {
	case s.Pattern.String != "":
		return func(text string) string { return strings.ReplaceAll(text, s.Pattern.String, content) }, nil
	case s.Pattern.Regex != "":
		re, err := compile(s.Pattern.Regex)
		if err != nil {
			return nil, err
		}
		return func(text string) string {
			// The content is literal: `$1` in it means a dollar sign and a one.
			out, err := re.ReplaceFunc(text, func(regexp2.Match) string { return content }, -1, -1)
			giveUp(err)
			return out
		}, nil
	}
	return nil, errors.New("normalizer Replace: no pattern")
}
