package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// What a journal can hold. A file may come from anywhere: what lies beyond these is no
// run of ours, and arithmetic on it would overflow. It is looked at once, here, so that
// nobody to the right of the journal has to.
const (
	maxTime   = int64(100 * 24 * time.Hour) // from the run's zero, before or after
	maxCount  = 1 << 30                     // of one request: tokens, reads
	maxSum    = 1 << 60                     // of a counter: nanoseconds of processors, bytes
	maxIndex  = 1 << 40                     // requests of a run
	maxTurns  = 1 << 20                     // of a conversation
	maxOffset = 1 << 62                     // of two clocks: one of them may stand at 1970
)

// bounds collects the first thing that can't be.
type bounds struct{ err error }

func (b *bounds) within(name string, v, low, high int64) {
	if b.err == nil && (v < low || v > high) {
		b.err = fmt.Errorf("%s is %d, which can't be", name, v)
	}
}

func (b *bounds) time(name string, v int64) { b.within(name, v, -maxTime, maxTime) }

// duration is a time that can't be negative.
func (b *bounds) duration(name string, v int64) { b.within(name, v, 0, maxTime) }

// count may be -1: not known.
func (b *bounds) count(name string, v int64) { b.within(name, v, -1, maxCount) }

func (b *bounds) sum(name string, v int64) { b.within(name, v, -maxSum, maxSum) }

func (b *bounds) index(name string, v int64) { b.within(name, v, 0, maxIndex) }

// signed is an index that may be negative: of a request that is none of the workload's.
func (b *bounds) signed(name string, v int64) { b.within(name, v, -maxIndex, maxIndex) }

// total is a number of requests; -1: not known.
func (b *bounds) total(name string, v int64) { b.within(name, v, -1, maxIndex) }

func (b *bounds) offset(name string, v int64) { b.within(name, v, -maxOffset, maxOffset) }

func (b *bounds) number(name string, v float64) {
	if b.err == nil && !(math.Abs(v) <= maxSum) {
		b.err = fmt.Errorf("%s is %g, which can't be", name, v)
	}
}

// byTag are the bounds that the tag bound of a field may name. Without one an int is a count and an int64 a time;
// "-" is looked at elsewhere, or nothing is computed from it.
var byTag = map[string]func(b *bounds, name string, v int64){
	"time": (*bounds).time, "duration": (*bounds).duration, "count": (*bounds).count, "sum": (*bounds).sum,
	"index": (*bounds).index, "signed": (*bounds).signed, "total": (*bounds).total, "offset": (*bounds).offset,
	"-": func(*bounds, string, int64) {},
}

// checkFields looks at each number of a line by the tags of its struct. Requests have code of their own for it, which
// is generated from the same tags.
func checkFields(line any) *bounds {
	b := &bounds{}
	b.value(reflect.ValueOf(line).Elem(), rule{longest: -1})
	return b
}

// rule is what the tags of a field say of it.
type rule struct {
	field   int // its place in the struct
	name    string
	bound   string
	longest int // of a list; -1: not bounded here
}

// rulesOf are the fields of a struct that can hold a number, by type: a journal has a line of samples or scrapes for
// each second, and to read the tags at each of them is most of the time it takes.
var rulesOf sync.Map // reflect.Type → []rule

func rules(t reflect.Type) []rule {
	if known, ok := rulesOf.Load(t); ok {
		return known.([]rule)
	}
	var all []rule
	for i := range t.NumField() {
		f := t.Field(i)
		r := rule{field: i, bound: f.Tag.Get("bound"), longest: -1}
		r.name, _, _ = strings.Cut(f.Tag.Get("json"), ",")
		if longest := f.Tag.Get("max"); longest != "" {
			r.longest, _ = strconv.Atoi(longest) // a test reads them all
		}
		if kind := f.Type.Kind(); kind != reflect.String && kind != reflect.Bool {
			all = append(all, r)
		}
	}
	rulesOf.Store(t, all)
	return all
}

// rawJSON is the type of what is kept as it came.
var rawJSON = reflect.TypeFor[json.RawMessage]()

// value looks at a value and all below it. r is the rule of the field that it is or is in.
func (b *bounds) value(v reflect.Value, r rule) {
	kind := v.Kind()
	if r.longest >= 0 && (kind == reflect.Slice || kind == reflect.Map) {
		b.within("the length of "+r.name, int64(v.Len()), 0, int64(r.longest))
	}
	if b.err != nil || v.Type() == rawJSON {
		return
	}
	switch kind {
	case reflect.Pointer:
		if !v.IsNil() {
			b.value(v.Elem(), r)
		}
	case reflect.Struct:
		for _, of := range rules(v.Type()) {
			b.value(v.Field(of.field), of)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			b.value(v.Index(i), r)
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			r.name = outside.Word(each.Key().String())
			b.value(each.Value(), r)
		}
	case reflect.Float64:
		b.number(r.name, v.Float())
	case reflect.Int, reflect.Int64:
		bound := r.bound
		if bound == "" && kind == reflect.Int {
			bound = "count"
		} else if bound == "" {
			bound = "time"
		}
		byTag[bound](b, r.name, v.Int())
	}
}

// check looks at a line. run is the first one; nil: this is it.
func (l *Line) check(run *Run) error {
	targets := 0
	if run != nil {
		targets = len(run.Targets)
	}
	switch {
	case l.Request != nil:
		return l.Request.check(targets, run.agents())
	case l.Run != nil:
		return l.Run.check()
	case l.Sample != nil:
		return l.Sample.check(run.agents())
	case l.Scrape != nil:
		return l.Scrape.check(run, targets)
	case l.Hardware != nil:
		return l.Hardware.check(run.agents())
	case l.End != nil:
		return l.End.check()
	case l.Fault != nil:
		return checkFields(l.Fault).err
	case l.Conversation != nil:
		return l.Conversation.check()
	case l.Answer != nil:
		return l.Answer.check()
	case l.Checked != nil:
		return checkFields(l.Checked).named("checked program", l.Checked.Index)
	}
	return nil // of a version to come
}

func (r *Request) check(targets, agents int) error {
	var b bounds
	b.request(r)
	b.within("target", int64(r.Target), 0, int64(max(targets, 1))-1)
	b.within("agent", int64(r.Agent), 0, int64(agents)-1)
	b.within("end", r.End, r.Sent, maxTime) // nothing ends before it was sent
	if b.err == nil && r.Outcome == "" {
		b.err = errors.New("it has no outcome")
	}
	if b.err == nil {
		b.err = r.Events.check(r.Sent)
	}
	return b.named("request", r.Index)
}

func (b *bounds) named(line string, i int) error {
	if b.err == nil {
		return nil
	}
	return fmt.Errorf("%s %d: %w", line, i, b.err)
}

// check follows the gaps from the moment of sending.
func (e *Events) check(sent int64) error {
	n := len(e.At)
	fits := func(length int, there bool) bool { return length == n || !there }
	if !fits(len(e.Kind), true) || !fits(len(e.Lag), e.Lag != nil) || !fits(len(e.Tokens), e.Tokens != nil) || !fits(len(e.Size), e.Size != nil) {
		return fmt.Errorf("event columns differ in length: at %d, kind %d, lag %d, tokens %d, size %d", n, len(e.Kind), len(e.Lag), len(e.Tokens), len(e.Size))
	}
	var b bounds
	before := -1
	for _, i := range e.Open {
		b.within("open", int64(i), int64(before)+1, int64(n)-1)
		before = i
	}
	before = -1
	for _, i := range e.Held {
		b.within("held", int64(i), int64(before)+1, int64(n)-1)
		before = i
	}
	if b.err == nil && len(e.Held) != len(e.HeldNs) {
		b.err = fmt.Errorf("held and held_ns differ in length: %d, %d", len(e.Held), len(e.HeldNs))
	}
	for _, ns := range e.HeldNs {
		b.within("held_ns", ns, 0, maxTime)
	}
	at := sent
	for i, gap := range e.At {
		b.time("a gap", gap)
		at += gap
		b.time("an event", at)
		if e.Lag != nil {
			b.time("a lag", e.Lag[i])
		}
		if e.Tokens != nil {
			b.count("tokens of an event", int64(e.Tokens[i]))
		}
		if e.Size != nil {
			b.count("size of an event", int64(e.Size[i]))
		}
		if b.err != nil {
			return b.err
		}
	}
	return nil
}

func (r *Run) check() error {
	b := checkFields(r)
	if p := r.Options.Asked; p != nil {
		b.within("over", p.Over, 1, math.MaxInt64)
	}
	if r.Fleet != nil {
		r.Fleet.check(b)
	}
	return b.err
}

func (s *Sample) check(agents int) error {
	b := checkFields(s)
	b.within("agent", int64(s.Agent), 0, int64(agents)-1)
	return b.err
}

func (s *Scrape) check(run *Run, targets int) error {
	b := checkFields(s)
	if run != nil {
		b.within("replica", int64(s.Replica), 0, int64(len(run.Replicas)))
	}
	b.within("target", int64(s.Target), 0, int64(max(targets, 1))-1)
	return b.err
}

func (e *End) check() error {
	b := checkFields(e)
	last := int64(0)
	for _, p := range e.Pauses { // one after the other
		b.within("from of a pause", p.From, last, maxTime)
		b.within("to of a pause", p.To, p.From, maxTime)
		last = p.To
	}
	return b.err
}
