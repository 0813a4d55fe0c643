package serve

import (
	"fmt"
	"io"
	"time"

	"github.com/inferometer/inferometer/internal/hub"
)

// fetchShow shows files that come from the hub: one line that is written over on a
// terminal, and in a pipe a line for what takes long.
func fetchShow(w io.Writer, bar bool) func(hub.Progress) {
	last := time.Now()
	return func(p hub.Progress) {
		every := lineEvery
		if bar {
			every = barEvery
		}
		switch now := time.Now(); {
		case p.Finished && bar:
			fmt.Fprint(w, "\r\x1b[K")
		case p.Finished || now.Sub(last) < every:
		default:
			last = now
			line := fmt.Sprintf("fetching %s of %s: %.1f of %.1f MB", p.File, p.Repo, float64(p.Done)/1e6, float64(p.Total)/1e6)
			if bar {
				fmt.Fprint(w, "\r\x1b[K"+line)
			} else {
				fmt.Fprintln(w, line)
			}
		}
	}
}
