// Command find shows whether inferometer find finds what is there: for drawn
// configurations of the batch simulator, the found load against the true one, and
// its time against that of a sweep.
//
// The engine's scheduler runs in virtual time (engine.Virtual), since the truth of 20
// configurations is some days of a real server. Everything else is what the command
// uses: the search, the watch that leaves a probe early, the journal's records and
// the measure package. With -real the command itself is run against the simulator
// over sockets, in real time, and compared with a sweep in real time.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"time"

	"github.com/inferometer/inferometer/bench/harness"
	"github.com/inferometer/inferometer/internal/plan/search"
)

func main() {
	b := bench{}
	count := flag.Int("configs", 20, "how many configurations")
	first := flag.Int("first", 0, "the first of them")
	flag.DurationVar(&b.short, "probe", 20*time.Second, "a first probe")
	flag.DurationVar(&b.long, "confirm", 3*time.Minute, "the confirming run, and each run of the sweep")
	flag.StringVar(&b.binary, "real", "", "run this binary's find against its simulator, in real time")
	flag.BoolVar(&b.verbose, "v", false, "show each probe")
	least := flag.Float64("least", 0.9, "the share that must be within 5 %")
	harness.Main("find", func() error {
		for n := *first; n < *first+*count; n++ {
			if err := b.one(n); err != nil {
				return err
			}
		}
		share := b.found / b.swept
		fmt.Printf("%d of %d within 5 %%; the interval holds the truth in %d; time %.0f s against %.0f s of the sweeps: %.2f, at worst %.2f\n",
			b.hits, *count, b.inside, b.found, b.swept, share, b.worst)
		if float64(b.hits) < *least*float64(*count) || share > 1.0/3 {
			return errors.New("too few are right, or it takes more than a third of the time of a sweep")
		}
		return nil
	})
}

// bench is the whole comparison.
type bench struct {
	short, long time.Duration
	binary      string
	verbose     bool

	hits, inside int
	found, swept float64 // seconds
	worst        float64 // share of a sweep's time
}

// budget is the --max-time of a search.
func (b *bench) budget() time.Duration { return 6 * b.long }

// one finds the edge of one configuration.
func (b *bench) one(n int) error {
	c := draw(n)
	compare := b.compare
	if b.binary != "" {
		compare = b.compareReal
	}
	r, err := compare(c)
	if err != nil {
		return err
	}
	a, truth, swept := r.answer, r.truth, r.swept
	off, inside := math.NaN(), a.Low != nil && a.High != nil && *a.Low <= truth && truth <= *a.High
	if a.X != nil {
		off = *a.X/truth - 1
	}
	if math.Abs(off) <= 0.05 {
		b.hits++
	}
	if inside {
		b.inside++
	}
	b.found, b.swept = b.found+a.Spent, b.swept+swept
	b.worst = max(b.worst, a.Spent/swept)
	fmt.Printf("%2d %-11s true %7.2f  found %+5.1f %%  interval %-16s holds it: %-5v  confirmed: %-5v  %2d probes, %4.0f s of %4.0f s  %s\n",
		n, c.word(), truth, off*100, between(a.Low, a.High), inside, a.Confirmed, a.Probes, a.Spent, swept, c.slo)
	return nil
}

// compare does all in virtual time.
func (b *bench) compare(c *config) (r comparison, err error) {
	if r.truth, err = c.truth(); err != nil {
		return r, err
	}
	if r.answer, err = b.virtual(c); err != nil {
		return r, err
	}
	r.swept, err = c.sweep(r.truth, b.long)
	return r, err
}

// comparison is a search, the truth, and the seconds of the sweep.
type comparison struct {
	answer       search.Answer
	truth, swept float64
}

func between(low, high *float64) string {
	if low == nil || high == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f to %.2f", *low, *high)
}

// virtual is the search with probes in virtual time.
func (b *bench) virtual(c *config) (search.Answer, error) {
	s := search.New(search.Config{
		From: 1, Lower: true, Integer: c.closed, Tolerance: 0.05, Short: b.short.Seconds(), Long: b.long.Seconds(),
		Enough: search.Enough(c.slo), Budget: b.budget().Seconds(),
	})
	for seed := uint64(1000); ; seed++ {
		p, ok := s.Next()
		if !ok {
			return s.Answer(), nil
		}
		o, err := c.probe(p.X, time.Duration(p.Seconds*1e9), seed, true)
		if err != nil {
			return search.Answer{}, err
		}
		o.Purpose = p.Purpose
		if b.verbose {
			fmt.Printf("   %-8s %.4g for %.0f s: %.0f %% of %s %s\n", p.Purpose, p.X, p.Seconds, use(&o)*100, o.Binding().Clause, o.GaveUp)
		}
		s.Observed(o)
	}
}
