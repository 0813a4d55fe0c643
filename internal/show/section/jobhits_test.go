package section

import (
	"testing"

	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/judge/serving"
)

// What is not known says what it needs, and a server whose answers don't tell may count.
func TestJobHits(t *testing.T) {
	half, all := 0.5, 1.0
	r := &measure.Result{}
	r.Cached.Planned = &half
	r.Server = &serving.Summary{Server: serving.Server{PrefixHitRate: &all}}
	const want = "by the recording 50.0 %, by what was sent unknown (it needs a --tokenizer with a chat template), by the server's counters, warm-ups included, 100.0 %"
	if got := jobHits(r); got != want {
		t.Errorf("%q", got)
	}
	r.Cached.Sent, r.Cached.Measured = &half, &half
	if got := jobHits(r); got != "by the recording 50.0 %, by what was sent 50.0 %, as the server says 50.0 %" {
		t.Errorf("%q", got)
	}
}
