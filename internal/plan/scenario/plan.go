package scenario

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/plan/routers"
	"go.yaml.in/yaml/v3"
)

// Plan is all points of a scenario in the order in which they are run.
type Plan struct {
	Name     string
	Scenario *Scenario // the file itself, before the matrix
	Axes     []string  // the keys of the matrix, in its order
	Points   []*Point
}

// PlanOptions are what a plan needs beside the file.
type PlanOptions struct {
	Program string // for {inferometer}: our own executable

	// Check says what bench serve has against a point; nil checks nothing.
	Check func(option.Settings) error
	// Hide replaces secrets in settings; nil replaces nothing.
	Hide func(option.Settings) option.Settings
	// Only selects the points that match all of these; empty: all.
	Only []string
}

// Plan decodes the file and each of its points. All errors are found at once.
func (d *Document) Plan(opt PlanOptions) (*Plan, error) {
	var errs errorList
	whole := d.decode(d.root, &errs)
	list := withControl(d.axes(&errs), whole)
	exclusions := d.exclusions(list, &errs)
	d.checkWhole(whole, &errs)
	if whole.Routers != nil {
		whole.Repeat = cmp.Or(whole.Repeat, routers.Repeats(len(whole.Targets)))
		whole.Order = cmp.Or(whole.Order, Rotated)
	}
	if err := checkSize(list, whole.Repeat); err != nil {
		errs.add(err)
	}
	if err := errs.err(); err != nil {
		return nil, err
	}
	plan := &Plan{Name: whole.Name, Scenario: whole}
	for _, a := range list {
		plan.Axes = append(plan.Axes, a.name)
	}
	b := planner{doc: d, opt: opt, axes: list, errs: &errs, numbers: map[string]int{}}
	for values := range combinations(list) {
		if !slices.ContainsFunc(exclusions, func(e exclusion) bool { return e.matches(list, values) }) {
			plan.Points = append(plan.Points, b.points(values, max(whole.Repeat, 1))...)
		}
	}
	if err := errs.err(); err != nil {
		return nil, err
	}
	if len(plan.Points) == 0 {
		return nil, errors.New("the scenario has no points: all are excluded")
	}
	for i, p := range plan.Points {
		p.place = i
	}
	arrange(plan.Points, whole.Order, int64(whole.Workload.Seed))
	return plan, plan.choose(opt.Only)
}

// decode reads a tree into a scenario.
func (d *Document) decode(root *yaml.Node, errs *errorList) *Scenario {
	dec := decoder{doc: d}
	s := &Scenario{}
	dec.decodeStruct("", root, reflect.ValueOf(s).Elem())
	s.hasWorkload = child(root, "workload") != nil
	errs.add(dec.errs.err())
	return s
}

// planner makes the points of a document.
type planner struct {
	doc     *Document
	opt     PlanOptions
	axes    []axis
	errs    *errorList
	numbers map[string]int // of a combination without its target
}

// points makes the repeats of one combination.
func (b *planner) points(values []axisValue, repeat int) (points []*Point) {
	shown, other := map[string]string{}, []string{}
	for i, a := range b.axes {
		shown[a.name] = values[i].text
		if a.name != targetAxis {
			other = append(other, values[i].text)
		}
	}
	key := strings.Join(other, "\x00")
	number, known := b.numbers[key]
	if !known {
		number = len(b.numbers)
		b.numbers[key] = number
	}
	s := b.resolve(values, shown[targetAxis])
	if s == nil {
		return nil
	}
	for r := 1; r <= repeat; r++ {
		p := &Point{ID: b.id(values, r), Values: shown, Repeat: r, scenario: s, target: s.Targets[shown[targetAxis]], number: number}
		switch {
		case s.asksAlone():
			p.Load = p.questions()
		default:
			p.Load = p.load(seedShift(other, r))
			if s.Eval != nil && r == 1 { // asking again makes no more questions of them
				p.Eval = p.questions()
			}
		}
		p.Shown = b.shown(slices.Concat(p.Load, p.Eval))
		p.server = p.serverKey()
		p.Fingerprint = p.fingerprint()
		b.check(p)
		points = append(points, p)
	}
	return points
}

// shown are settings as a person types them, without secrets.
func (b *planner) shown(settings option.Settings) []string {
	if b.opt.Hide != nil {
		settings = b.opt.Hide(settings)
	}
	return settings.Words()
}

// check notes what bench serve has against a point.
func (b *planner) check(p *Point) {
	if b.opt.Check == nil {
		return
	}
	urls := p.checkedURLs()
	if err := b.opt.Check(p.at(p.Load, urls)); err != nil {
		b.errs.add(fmt.Errorf("%s: point %s: %w", b.doc.File, p.ID, err))
	} else if len(p.Eval) == 0 {
		return
	} else if err := b.opt.Check(p.at(p.Eval, urls)); err != nil {
		b.errs.add(fmt.Errorf("%s: point %s: eval: %w", b.doc.File, p.ID, err))
	}
}

// seedShift depends on a point's values and not on its position, so that a point keeps
// its seed, and its result, when other points are added.
func seedShift(values []string, repeat int) int {
	if len(values) == 0 && repeat == 1 {
		return 0 // the only one: the seed is what the file says
	}
	h := fnv.New32a()
	fmt.Fprintf(h, "%q %d", values, repeat)
	return int(h.Sum32() % 1_000_000)
}

// resolve is the scenario with the values of a combination in their places.
func (b *planner) resolve(values []axisValue, name string) *Scenario {
	d := b.doc
	root := d.clone(d.root)
	for _, v := range values {
		for _, set := range v.sets {
			path := set.path
			if path[0] == targetAxis {
				path = append([]string{"targets", name}, path[1:]...)
			}
			if err := d.put(root, path, d.clone(set.value)); err != nil {
				b.errs.add(err)
			}
		}
	}
	var errs errorList
	fillIns := map[string]string{"inferometer": b.opt.Program}
	if vars := child(root, "vars"); vars != nil {
		for k, v := range pairs(vars) {
			fillIns[k.Value] = v.Value
		}
	}
	target := child(child(root, "targets"), name)
	if target != nil {
		d.fill(target, fillIns, laterWords, &errs)
	}
	for _, section := range []string{"workload", "flags", "eval", "faults"} {
		if n := child(root, section); n != nil {
			d.fill(n, fillIns, nil, &errs)
		}
	}
	if slices.ContainsFunc(values, func(v axisValue) bool { return v.unique }) {
		d.unshare(root, &errs)
	}
	s := d.decode(root, &errs)
	d.checkLoop(root, s, &errs)
	if t := s.Targets[name]; t == nil {
		errs.add(d.errorAt(root, "targets", "there is no target %s", name))
	} else {
		d.checkTarget(target, "targets."+name, t, &errs)
		d.checkFaults(s, t, &errs)
		d.checkRestart(root, s, t, &errs)
	}
	if per := child(child(root, "workload"), "prompts_per_slot"); s.Workload.PromptsPerSlot != nil && s.Pace.Concurrency == nil {
		errs.add(d.errorAt(per, "workload.prompts_per_slot", "needs a concurrency; give num_prompts or duration where there is none"))
	}
	if pace := child(root, "pace"); s.asksAlone() && (s.Pace.Rate != nil || s.Pace.Duration > 0) {
		errs.add(d.errorAt(pace, "pace", "rate and duration are those of a workload: questions are asked concurrency at a time, to the last one"))
	}
	if err := errs.err(); err != nil {
		b.errs.add(err)
		return nil
	}
	return s
}

// maxID keeps the name of a folder below the limit of file systems.
const maxID = 80

var unfit = regexp.MustCompile(`[^A-Za-z0-9.=+-]+`)

// id names a point's folder by its values.
func (b *planner) id(values []axisValue, repeat int) string {
	var words []string
	for i, a := range b.axes {
		word := values[i].text
		if a.name != targetAxis {
			word = a.name[strings.LastIndexByte(a.name, '.')+1:] + "-" + word
		}
		words = append(words, unfit.ReplaceAllString(word, "-"))
	}
	id := strings.Join(words, "_")
	if len(id) > maxID {
		sum := sha256.Sum256([]byte(id))
		id = id[:maxID] + "-" + hex.EncodeToString(sum[:4])
	}
	return id + repeatSuffix(repeat)
}

// Selected are the points to be run, in their order.
func (p *Plan) Selected() (list []*Point) {
	for _, o := range p.Points {
		if o.Selected {
			list = append(list, o)
		}
	}
	return list
}

// choose selects the points that match. A word is a part of a point's ID or
// KEY=VALUE of the matrix.
func (p *Plan) choose(words []string) error {
	found := false
	for _, o := range p.Points {
		o.Selected = true
		for _, word := range words {
			key, value, isPair := strings.Cut(word, "=")
			if _, known := o.Values[key]; isPair && known {
				o.Selected = o.Selected && o.Values[key] == value
			} else {
				o.Selected = o.Selected && strings.Contains(o.ID, word)
			}
		}
		found = found || o.Selected
	}
	if !found {
		return fmt.Errorf("no point matches %s", strings.Join(words, " and "))
	}
	return nil
}

// String is a plan in one line.
func (p *Plan) String() string {
	var targets []string
	for _, o := range p.Selected() {
		if !slices.Contains(targets, o.Target()) {
			targets = append(targets, o.Target())
		}
	}
	words := fmt.Sprintf("%d points over %s", len(p.Selected()), strings.Join(targets, ", "))
	if p.Scenario.Repeat > 1 {
		words += fmt.Sprintf(", each %d times", p.Scenario.Repeat)
	}
	return words
}

// arrange puts points in the order in which they are run. To change servers costs
// a restart, so the points of one server always stand together within a round.
//
//	sequential   one round: server by server, the repeats of a point one after the other
//	interleaved  a round for each repeat; every other round goes backwards, so that a
//	             steady drift hits all alike and the server at the turn stays up
//	rotated      a round for each repeat, which begins with the next server: each is first, second… equally often
//	random       a round for each repeat, servers and points within it shuffled by the seed
//
// Servers that need no start cost no restart: all of them count as one, and in an
// interleaved round the same point is run against each before the next point.
func arrange(points []*Point, order string, seed int64) {
	rank := map[string]int{}
	for _, p := range points {
		if _, ok := rank[p.group(order)]; !ok {
			rank[p.group(order)] = len(rank)
		}
	}
	if order == Random {
		arrangeRandom(points, rank, seed)
		return
	}
	slices.SortStableFunc(points, func(a, b *Point) int {
		if order == Rotated {
			at := func(p *Point) int { return ((rank[p.group(order)]-(p.Repeat-1))%len(rank) + len(rank)) % len(rank) }
			return cmp.Or(cmp.Compare(a.Repeat, b.Repeat), cmp.Compare(at(a), at(b)), cmp.Compare(a.number, b.number), cmp.Compare(a.place, b.place))
		}
		if order != Interleaved {
			return cmp.Or(cmp.Compare(rank[a.group(order)], rank[b.group(order)]), cmp.Compare(a.place, b.place))
		}
		if c := cmp.Compare(a.Repeat, b.Repeat); c != 0 {
			return c
		}
		c := cmp.Or(cmp.Compare(rank[a.group(order)], rank[b.group(order)]), cmp.Compare(a.number, b.number), cmp.Compare(a.place, b.place))
		if a.Repeat%2 == 0 {
			return -c
		}
		return c
	})
}

// group is the key of points that stay together within a round: those of one server
// that is started, or, in rounds, those of all servers that are already up.
func (p *Point) group(order string) string {
	if p.target.started() || order != Interleaved && order != Random {
		return p.server
	}
	return ""
}

func arrangeRandom(points []*Point, rank map[string]int, seed int64) {
	random := rand.New(rand.NewPCG(uint64(seed), 1))
	random.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	rounds := map[int][]int{} // of each repeat: where each group stands
	slices.SortStableFunc(points, func(a, b *Point) int {
		if c := cmp.Compare(a.Repeat, b.Repeat); c != 0 {
			return c
		}
		places, ok := rounds[a.Repeat]
		if !ok {
			places = rand.New(rand.NewPCG(uint64(seed), uint64(a.Repeat)+1)).Perm(len(rank))
			rounds[a.Repeat] = places
		}
		return cmp.Compare(places[rank[a.group(Random)]], places[rank[b.group(Random)]])
	})
}
