package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/outside"
)

// FileName is the name that a result gets when the user gives none, as vLLM
// makes it, but never outside its folder: {label or backend}-{rate}qps[-concurrency{C}]-{model}-{date}.json.
func FileName(r *measure.Result) string {
	o := &r.Run.Options
	label := outside.FileName(o.Label)
	if label == "" {
		label = o.Backend
	}
	limit := ""
	if o.MaxConcurrency > 0 {
		limit = fmt.Sprintf("-concurrency%d", o.MaxConcurrency)
	}
	// A model's id may be a path; its last part is the name, whatever it is.
	model := outside.FileName(o.ModelID[strings.LastIndexByte(o.ModelID, '/')+1:])
	if ramp := o.RampUp; ramp != nil {
		return fmt.Sprintf("%s-ramp-up-%s-%dqps-%dqps%s-%s-%s.json",
			label, ramp.Strategy, ramp.StartRPS, ramp.EndRPS, limit, model, r.Date())
	}
	rate := o.RequestRate
	if rate == 0 {
		rate = math.Inf(1)
	}
	return fmt.Sprintf("%s-%sqps%s-%s-%s.json", label, pyjson.Float(rate), limit, model, r.Date())
}
