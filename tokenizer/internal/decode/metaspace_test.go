package decode

import (
	"slices"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

// TestJoinMetaspace: joined at once or name by name, the text is the same.
func TestJoinMetaspace(t *testing.T) {
	for _, scheme := range []string{"always", "first", "never"} {
		for _, mark := range []string{"▁", "_", "aa"} {
			for _, names := range [][]string{
				nil, {""}, {"▁"}, {"▁▁a", "▁b▁", "c", "▁▁", "a▁_▁b", "▂", "_", "aaa", "aaaa"}, {"a▁", "_a_", "▁"}, {"", "▁a"},
			} {
				s := &spec.Step{Type: "Metaspace", Replacement: mark, PrependScheme: scheme}
				got := strings.Join(joinMetaspace(s)(slices.Clone(names)), "")
				want := strings.Join(decodeMetaspace(s)(slices.Clone(names)), "")
				if got != want {
					t.Errorf("%s %s: %q joined is %q, want %q", scheme, mark, names, got, want)
				}
			}
		}
	}
}
