package serve

import (
	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/send/share"
	"github.com/inferometer/inferometer/internal/spec"
)

// setShare takes in --client-share.
func (o *Options) setShare(text string) (err error) {
	o.Share, err = share.Parse(text)
	return err
}

// ParseGoodput makes the limits of what --goodput was given, as ttft:500 or ttft<=500ms; nil: none.
func ParseGoodput(pairs []argv.Pair) (map[string]float64, error) {
	var clauses []string
	for _, p := range pairs {
		clause := p.Key
		if p.Value != "" {
			clause += ":" + p.Value
		}
		clauses = append(clauses, clause)
	}
	var limits spec.Limits
	if err := limits.SetTexts(clauses); err != nil {
		return nil, argv.Errorf("goodput", "%v", err)
	}
	return limits, nil
}
