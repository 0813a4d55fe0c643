package command

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/judge/judged"
	"github.com/inferometer/inferometer/internal/outside"
)

// SayLacking names the points that have nothing to be shown, or not all.
func SayLacking(s Streams, name string, sets []*judged.Set) {
	for _, set := range sets {
		for _, r := range set.Runs {
			if r.Why != "" && r.Part == "" {
				fmt.Fprintf(s.Err, "inferometer %s: %s has no complete result; what there is of it is shown: %s\n", name, outside.Word(r.Name), r.Why)
			}
		}
		for _, l := range set.Lacking {
			fmt.Fprintf(s.Err, "inferometer %s: %s has no result: %s\n", name, outside.Word(l.Name), l.Why)
		}
	}
}
