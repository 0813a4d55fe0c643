package verdict

import (
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/journal"
)

// The rate that was asked for is held against what went out, and the difference has its
// cause: the draw, or the sending.
func TestRateAskedDrawnAndSent(t *testing.T) {
	const second = 1000 * msNs
	asked := func(requests float64, over int64) *journal.Asked {
		return &journal.Asked{Requests: requests, Over: over}
	}
	for name, c := range map[string]struct {
		rate   float64
		asked  *journal.Asked
		n      int
		gap    int64 // between due times
		late   int64 // more with each request
		change func(w *world)
		level  Level
		want   string
	}{
		"as asked":               {10, asked(200, 20*second), 200, 100 * msNs, 0, nil, OK, "requests were due at 10 a second and went out at 10"},
		"a number, as vLLM":      {10, nil, 200, 100 * msNs, 0, nil, OK, "requests were due at 10 a second and went out at 10"},
		"one too few":            {10, asked(20, 2*second), 19, 100 * msNs, 0, nil, OK, "requests were due at"},
		"more by the seed":       {2, nil, 100, 400 * msNs, 0, nil, Suspect, "2 requests a second were asked for; the random arrival times came to 2.5, and 2.5 went out"},
		"a little by the seed":   {2.4, nil, 200, 400 * msNs, 0, nil, OK, "2.4 requests a second were asked for; the random arrival times came to 2.5, and 2.5 went out"},
		"a few by the seed":      {2, nil, 15, 400 * msNs, 0, nil, OK, "2 requests a second were asked for; the random arrival times came to 2.5"},
		"the dataset ended":      {10, asked(2000, 200*second), 200, 100 * msNs, 0, nil, OK, "requests were due at 10 a second and went out at 10"},
		"half of it never came":  {10, asked(400, 20*second), 200, 100 * msNs, 0, nil, Suspect, "20 requests a second were asked for; the random arrival times came to 10, and 10 went out"},
		"drawn well, sent late":  {10, asked(200, 20*second), 200, 100 * msNs, 20 * msNs, nil, Invalid, "requests were due at 10 a second and went out at 8.33"},
		"drawn wrong, sent late": {8, nil, 200, 100 * msNs, 20 * msNs, nil, Invalid, "8 requests a second were asked for; the random arrival times came to 10, and 8.33"},
		"a pause": {10, asked(200, 20*second), 200, 100 * msNs, 0, func(w *world) {
			w.each(1, func(r *journal.Request) {
				if r.Due > 10*second {
					r.Due, r.Released, r.Sent, r.End = r.Due+30*second, r.Released+30*second, r.Sent+30*second, r.End+30*second
				}
			})
			w.end.Pauses = []journal.Pause{{From: 10 * second, To: 40 * second}}
		}, OK, "requests were due at"},
	} {
		t.Run(name, func(t *testing.T) {
			w := quiet{requests: c.n, rate: c.rate}.world(1)
			w.run.Options.Asked = c.asked
			i := int64(0)
			w.each(1, func(r *journal.Request) {
				due, late := (i+1)*c.gap, i*c.late
				r.End += due + late - r.Due
				r.Due, r.Released, r.Sent = due, due+late+20_000, due+late+50_000
				i++
			})
			w.derive()
			if c.change != nil {
				c.change(w)
			}
			k := w.judge(t, Options{}).Check("rate")
			if k.Level != c.level || !strings.HasPrefix(k.Sentence, c.want) {
				t.Errorf("%v: %s; want %v: %s", k.Level, k.Sentence, c.level, c.want)
			}
		})
	}
}
