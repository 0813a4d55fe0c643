package export

import (
	"fmt"
	"strings"

	judge "github.com/inferometer/inferometer/internal/judge/hardware"
	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/internal/show/hardware"
)

// hardwareFigures are what devices took and did, as the console has them.
func hardwareFigures(b *strings.Builder, s *judge.Summary) {
	lines := hardware.Lines(s)
	if len(lines) > 0 {
		b.WriteString("\n")
	}
	for _, l := range lines {
		fmt.Fprintf(b, "- %s %s\n", l.Label, outside.Markdown(l.Words))
	}
}
