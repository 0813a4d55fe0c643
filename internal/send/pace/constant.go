package pace

var constant = NewKind(Kind{Name: Constant, Doc: "Evenly at a rate: infinite burstiness in vLLM's words."}, newConstant)

// RateOptions are those of a pace with one rate. The default is no rate of a pace:
// it lets a flag that is not given mean a burst or a closed loop.
type RateOptions struct {
	Rate float64 `json:"rate" flag:"request-rate" common:"true" default:"inf" above:"0" below:"inf" metavar:"RATE" help:"Requests per second. inf sends as fast as --max-concurrency allows."`
}

func (o *RateOptions) rate() float64 { return o.Rate }

func newConstant(s Spec, o *RateOptions) (Pace, error) {
	gap := 1 / o.Rate
	return rescaled(s, o.Rate, func() gapper { return func() float64 { return gap } }), nil
}
