package pace

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
)

// Draft is what flags or scenario keys say of a pace before it is known which one
// they mean. An option that several processes share is set in all of them.
type Draft struct {
	own   map[*Kind]any
	given map[string]bool // by key
}

// NewDraft is a draft in which nothing is said.
func NewDraft() *Draft {
	d := &Draft{own: map[*Kind]any{}, given: map[string]bool{}}
	for _, k := range Kinds() {
		d.own[k] = k.Options()
	}
	return d
}

// Fields are the options of all processes, each key once, in the order of the table.
func Fields() []option.Field {
	var fields []option.Field
	for _, k := range Kinds() {
		for _, f := range option.Fields(k.Options()) {
			if !slices.ContainsFunc(fields, func(g option.Field) bool { return g.Key == f.Key }) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// Set gives an option the value that a text says.
func (d *Draft) Set(key, text string) error {
	return d.set(key, func(f option.Field, own any) error { return f.SetText(own, text) })
}

// SetJSON gives an option the value of a piece of JSON.
func (d *Draft) SetJSON(key string, raw json.RawMessage) error {
	return d.set(key, func(f option.Field, own any) error { return f.SetJSON(own, raw) })
}

func (d *Draft) set(key string, to func(f option.Field, own any) error) error {
	for _, k := range Kinds() {
		if f, ok := option.Find(d.own[k], key); ok {
			if err := to(f, d.own[k]); err != nil {
				return err
			}
			d.given[key] = true
		}
	}
	if !d.given[key] {
		return option.Errorf(key, "is no option of any pace")
	}
	return nil
}

// Given says whether an option was set.
func (d *Draft) Given(key string) bool { return d.given[key] }

// Rate is the rate that was set, or inf.
func (d *Draft) Rate() float64 { return d.own[gamma].(*GammaOptions).Rate }

// Burstiness is the burstiness that was set, or 1.
func (d *Draft) Burstiness() float64 { return d.own[gamma].(*GammaOptions).Burstiness }

// Choose finds the process that the options ask for, as the flags of vllm bench serve
// do. concurrent says that the requests in flight are bounded: with an infinite rate
// that is a closed loop.
func (d *Draft) Choose(concurrent bool) (*Kind, any, error) {
	if err := d.checkOpen(); err != nil {
		return nil, nil, err
	}
	chosen := d.byRate(concurrent)
	way := "" // the key that decides, if any
	if !math.IsInf(d.Rate(), 1) {
		way = "rate"
	}
	for _, k := range Kinds() {
		if k.By == "" || !d.given[k.By] {
			continue
		}
		if way != "" {
			return nil, nil, option.Errorf(k.By, "can't be used together with %s: both say when requests are sent", option.Ref(way))
		}
		chosen, way = k, k.By
	}
	return chosen, d.own[chosen], d.checkStrays(chosen)
}

// checkOpen looks at what all processes share.
func (d *Draft) checkOpen() error {
	for _, key := range []string{"burstiness", "rate"} {
		if key == "rate" && math.IsInf(d.Rate(), 1) {
			continue
		}
		f, _ := option.Find(d.own[gamma], key)
		if err := f.Check(d.own[gamma]); err != nil {
			return err
		}
	}
	return nil
}

// byRate is the process of those that no option of their own chooses.
func (d *Draft) byRate(concurrent bool) *Kind {
	switch rate, burstiness := d.Rate(), d.Burstiness(); {
	case math.IsInf(rate, 1) && concurrent:
		return closed
	case math.IsInf(rate, 1):
		return burst
	case math.IsInf(burstiness, 1):
		return constant
	case burstiness == 1:
		return poisson
	}
	return gamma
}

// checkStrays finds options that speak only to a process that was not chosen.
func (d *Draft) checkStrays(chosen *Kind) error {
	for _, k := range Kinds() {
		if k == chosen || k.By == "" || d.given[k.By] {
			continue
		}
		for _, f := range option.Fields(d.own[k]) {
			if !d.given[f.Key] || d.sharedBy(f.Key) > 1 {
				continue
			}
			e := option.Errorf(f.Key, "needs %s", option.Ref(k.By))
			if by, _ := option.Find(d.own[k], k.By); len(by.Choices) > 0 {
				e = e.WithHint("%s", strings.Join(by.Choices, " or "))
			}
			return e
		}
	}
	return nil
}

// sharedBy is how many processes have an option.
func (d *Draft) sharedBy(key string) (n int) {
	for _, k := range Kinds() {
		if _, ok := option.Find(d.own[k], key); ok {
			n++
		}
	}
	return n
}
