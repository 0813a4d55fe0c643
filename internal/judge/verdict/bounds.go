package verdict

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/bounds"
)

// off is by how much a number can be.
type off struct {
	name   string
	value  float64
	share  float64
	ends   bounds.Ends
	unit   string
	causes []bounds.Part
	// tail: a percentile above the median, or anything that single gaps make. On a machine that others use too it is theirs
	// as a rule; its bounds stand beside it, and the rest of the run is as good without it.
	tail bool
}

// widest looks for the shown number that can be off by most. How far each can be is in bounds.Bounds.
func widest(f *facts, l limits) Check {
	b := f.bounds
	switch {
	case b == nil:
		return skip("the numbers were not measured")
	case !b.Known:
		return skip("%s", b.Reason)
	case !f.kernel():
		return skip("event times are the client's own: see lag")
	}
	var worst, tail off
	list := append(f.latenciesOff(f.ours()), f.ratesOff()...)
	for _, o := range list {
		switch {
		case o.tail && o.share > tail.share:
			tail = o
		case !o.tail && o.share > worst.share:
			worst = o
		}
	}
	if worst.share < notable && tail.share > notable {
		k := f.tell(l, &tail)
		k.Level, k.Brief = Noted, within(list, f.smallest())
		return k
	}
	if worst.name == "" {
		k := found(l, 0, percent(0), "every number shown is as accurate as its timestamps")
		k.Brief = within(list, f.smallest())
		return k
	}
	k := f.tell(l, &worst)
	switch {
	case k.Level.Bad():
		k.Brief = worst.briefly()
	case worst.share > notable:
		k.Level = Noted
		fallthrough
	default:
		k.Brief = within(list, f.smallest())
	}
	return k
}

// tell says by how much a number can be off.
func (f *facts) tell(l limits, o *off) Check {
	why, because := f.why(o.causes)
	k := found(l, o.share, percent(o.share), "%s can be off by up to %s (%s to %s): %s",
		o.name, percent(o.share), number(o.ends[0]), number(o.ends[1])+o.unit, why)
	k.Because = because
	return k
}

// notable is what is worth a note: a difference that people would report between two servers.
const notable = 0.02

// partNames are what the parts of bounds come from, and the checks that say more of each.
var partNames = map[bounds.Part]struct {
	words  string
	brief  string // for the verdict's line
	causes []string
}{
	bounds.SharedReads: {"events arrived in one read and share its time", "events arrived in one read", []string{"shared_reads", "unstamped"}},
	bounds.WayIn:       {"requests were sent later than their timestamps say", "requests left late", machineCauses},
	bounds.HeldUp:      {"this machine was stalled, and the server with it", "this machine was held up", machineCauses},
	bounds.Loss:        {"requests lost segments on their way", "packets were lost", []string{"retransmits"}},
	bounds.Lag:         {"the client read answers late, and ended or sent the next requests late", "the client read late", append([]string{"lag"}, machineCauses...)},
}

var machineCauses = []string{"steal", "cpu_wait", "cpu", "gc"}

// why says where an uncertainty comes from, with what the checks of its causes noted, and names the first of those.
func (f *facts) why(parts []bounds.Part) (words, because string) {
	var list, noted []string
	for _, p := range parts {
		list = append(list, partNames[p].words)
		for _, name := range partNames[p].causes {
			if k := f.judge(name); k.Level == Noted && !slices.Contains(noted, name+" "+k.Figure) {
				noted = append(noted, name+" "+k.Figure)
				because = cmp.Or(because, name)
			}
		}
	}
	words = strings.Join(list, "; ")
	if len(noted) > 0 {
		words += " (" + strings.Join(noted, ", ") + ")"
	}
	return words, because
}

// ours leaves out what other checks look at: what connecting took is in TTFT by its definition (connections); and where a server
// or a proxy sends in bunches, reads are shared and nobody is late (bursts).
func (f *facts) ours() (but []bounds.Part) {
	but = []bounds.Part{bounds.Connecting}
	if f.inBursts() {
		but = append(but, bounds.SharedReads)
	}
	return but
}

// inBursts says whether tokens come in bursts from the server or a proxy: bursts is noted where a server that decodes
// speculatively explains them.
func (f *facts) inBursts() bool {
	level := f.judge("bursts").Level
	return level.Bad() || level == Noted
}

// latenciesOff are the latencies that the result shows, with what they can be off by.
func (f *facts) latenciesOff(but []bounds.Part) (out []off) {
	for _, m := range headline {
		r, ok := f.bounds.Metrics[m]
		if !ok {
			continue
		}
		statistics := []string{"mean_ms", "p50_ms"}
		for _, p := range f.opt.Percentiles {
			if int64(r.Count) >= Needs(p) {
				statistics = append(statistics, percentileKey(p))
			}
		}
		for _, s := range statistics {
			ends := r.Likely(s, but...)
			value := r.Shown[s]
			if value <= 0 || ends.Width() < leastOff {
				continue
			}
			share := max(value-ends[0], ends[1]-value) / value
			out = append(out, off{name: statisticName(s) + " " + strings.ToUpper(m), value: value, share: share, ends: ends, unit: " ms", causes: largest(r.Parts[s], but...), tail: s != "p50_ms" && (s != "mean_ms" || m == "itl")})
		}
	}
	return out
}

// smallest is the shortest latency that is shown, in ms.
func (f *facts) smallest() float64 {
	least := math.Inf(1)
	for _, m := range headline {
		for _, v := range f.bounds.Metrics[m].Shown {
			if v > 0 {
				least = min(least, v)
			}
		}
	}
	return least
}

// headline are the latencies that people read.
var headline = []string{"ttft", "tpot", "itl", "e2el"}

// leastOff is no finding, however short the latency.
const leastOff = 0.1 // ms

// ratesOff are the rates.
func (f *facts) ratesOff() (out []off) {
	for name, words := range map[string]string{"request_throughput": "request throughput"} { // the others are off by the same share
		ends, ok := f.bounds.Rates[name]
		if !ok || ends[0] <= 0 {
			continue
		}
		parts := map[bounds.Part]bounds.Ends{}
		for p, share := range f.bounds.RateParts {
			parts[p] = bounds.Ends{0, share}
		}
		out = append(out, off{name: words, value: ends[0], share: ends[1]/ends[0] - 1, ends: ends, unit: " req/s", causes: largest(parts)})
	}
	return out
}

// largest are the parts that make most of a width: the widest first, those below a quarter of it left out.
func largest(parts map[bounds.Part]bounds.Ends, but ...bounds.Part) (out []bounds.Part) {
	width := func(p bounds.Part) float64 { return parts[p][0] + parts[p][1] }
	for p := range parts {
		if !slices.Contains(but, p) && width(p) > 0 {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b bounds.Part) int {
		switch d := width(b) - width(a); {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return strings.Compare(string(a), string(b))
	})
	for i := range out {
		if width(out[i]) < width(out[0])/4 {
			return out[:i]
		}
	}
	return out
}

// upTo is a share, rounded up to whole per cent: what is said to be within it is.
func upTo(share float64) string { return fmt.Sprintf("%.0f %%", upToPercent(share)) }

func upToPercent(share float64) float64 { return max(math.Ceil(share*100-1e-9), 1) }

// within says how good the shown numbers are, all or all but the tails.
func within(list []off, smallest float64) string {
	body, tail := 0.0, 0.0
	for _, o := range list {
		if o.tail {
			tail = max(tail, o.share)
		} else {
			body = max(body, o.share)
		}
	}
	share := body
	if tail <= mostOff {
		share = max(body, tail)
	}
	words := "within " + upTo(share)
	if smallest*upToPercent(share)/100 < leastOff { // less than that is not looked at
		words += fmt.Sprintf(" or %g ms", leastOff)
	}
	if tail > mostOff {
		return fmt.Sprintf("numbers %s, tails within %s", words, upTo(tail))
	}
	return "every number " + words
}

// briefly is by how much a number can be off, which way, and why.
func (o *off) briefly() string {
	below, above := o.value-o.ends[0], o.ends[1]-o.value
	text := fmt.Sprintf("%s may be off by up to %s", o.name, upTo(o.share))
	switch {
	case below > 3*above:
		text = fmt.Sprintf("%s may be up to %s too high", o.name, upTo(o.share))
	case above > 3*below:
		text = fmt.Sprintf("%s may be up to %s too low", o.name, upTo(o.share))
	}
	if len(o.causes) > 0 {
		text += ", " + partNames[o.causes[0]].brief
	}
	return text
}

func percentileKey(p float64) string { return fmt.Sprintf("p%g_ms", p) }

// statisticName is it in words.
func statisticName(key string) string {
	switch name := strings.TrimSuffix(key, "_ms"); name {
	case "p50":
		return "median"
	default:
		return name
	}
}

// number is one for people.
func number(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
