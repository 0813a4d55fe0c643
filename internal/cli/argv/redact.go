package argv

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Redacted returns the arguments with the values of secret flags hidden, for the
// result of a run. Call it with arguments that were parsed without error.
func (s *Set) Redacted(args []string) []string {
	shown := slices.Clone(args)
	found, _, _, _ := s.scan(args)
	for _, o := range found {
		if o.flag.redact == nil {
			continue
		}
		for i, v := range o.values {
			hidden := o.flag.redacted(v, o.path)
			if o.bare {
				shown[o.arg] = hidden
			} else if o.inline {
				shown[o.arg] = strings.TrimSuffix(shown[o.arg], v) + hidden
			} else {
				shown[o.arg+1+i] = hidden
			}
		}
	}
	return shown
}

// RedactPair keeps the key of KEY=VALUE and hides the value.
func RedactPair(text string) string {
	key, _, ok := strings.Cut(text, "=")
	if !ok {
		return outside.Redacted
	}
	return key + "=" + outside.Redacted
}
