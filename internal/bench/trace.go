package bench

import (
	"github.com/inferometer/inferometer/internal/send/wire"
	"github.com/inferometer/inferometer/internal/spec"
)

// traceParent is the header of W3C's Trace Context.
const traceParent = "Traceparent"

// traceID is the trace of this run, the same each time; the zero value: it has none.
func (r *Run) traceID() wire.Trace {
	switch {
	case r.TraceID == "" || !r.trace.IsZero():
	case r.TraceID == spec.TraceRandom:
		r.trace = wire.RandomTrace()
	default:
		r.trace, _ = wire.ParseTrace(r.TraceID) // it was checked
	}
	return r.trace
}

// sentTrace is what the header is made from, unless the user gave one of that name.
func (r *Run) sentTrace() wire.Trace {
	if r.wire.Header.Get(traceParent) != "" {
		return wire.Trace{}
	}
	return r.traceID()
}
