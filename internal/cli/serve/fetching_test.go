package serve

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/hub"
)

// A file that takes 12 s is a line that is written over, or two lines in a pipe; one
// that is there at once is nothing.
func TestFetchShow(t *testing.T) {
	for bar, want := range map[bool]string{
		false: "fetching tokenizer.json of org/tiny: 5.0 of 12.0 MB\nfetching tokenizer.json of org/tiny: 10.0 of 12.0 MB\n",
		true:  "\r\x1b[Kfetching tokenizer.json of org/tiny: 12.0 of 12.0 MB\r\x1b[K",
	} {
		synctest.Test(t, func(t *testing.T) {
			var b bytes.Buffer
			show := fetchShow(&b, bar)
			show(hub.Progress{Repo: "org/tiny", File: "config.json", Done: 1, Total: 1})
			for i := int64(1); i <= 12; i++ {
				time.Sleep(time.Second)
				if !bar || i == 12 {
					show(hub.Progress{Repo: "org/tiny", File: "tokenizer.json", Done: i * 1e6, Total: 12e6})
				}
			}
			show(hub.Progress{Repo: "org/tiny", File: "tokenizer.json", Done: 12e6, Total: 12e6, Finished: true})
			if b.String() != want {
				t.Errorf("%q", b.String())
			}
		})
	}
}
