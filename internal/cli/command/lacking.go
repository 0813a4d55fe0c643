package command

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/outside"
)

// SayLacking names the points that have nothing to be shown.
func SayLacking(s Streams, name string, sets []*judged.Set) {
	for _, set := range sets {
		for _, l := range set.Lacking {
			fmt.Fprintf(s.Err, "inferometer %s: %s has no result: %s\n", name, outside.Word(l.Name), l.Why)
		}
	}
}
