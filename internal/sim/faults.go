package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// The faults, in the order in which shares are laid out from 0 to 1.
const (
	FaultTruncate    = "truncate"     // the stream ends in the middle: half of them cleanly, half by a closed socket
	FaultErrorEvent  = "error-event"  // an error event inside the 200 stream; half of them with [DONE] after it
	FaultHTTP500     = "http-500"     // a status instead of a stream
	FaultHTTP429     = "http-429"     // the same, with Retry-After
	FaultReset       = "reset"        // the connection is reset in the middle
	FaultStall       = "stall"        // nothing for Config.Stall in the middle, then the rest
	FaultShort       = "short"        // fewer tokens than asked for, with finish_reason "stop"
	FaultEmpty       = "empty"        // a finish and no token
	FaultSlowHeaders = "slow-headers" // the headers come Config.SlowHeaders late
	FaultFlip        = "flip"         // another text than the same prompt gets alone, while other requests run
)

var faultNames = []string{
	FaultTruncate, FaultErrorEvent, FaultHTTP500, FaultHTTP429, FaultReset,
	FaultStall, FaultShort, FaultEmpty, FaultSlowHeaders, FaultFlip,
}

// Faults gives each fault's share of the requests. A request has at most one.
//
// The choice depends on the seed and on the request's x-request-id, so that it
// is the same in whatever order requests arrive. For a request without that
// header the index of its arrival takes the id's place.
type Faults map[string]float64

// ParseFaults reads shares such as "truncate=0.05,http-500=0.02".
func ParseFaults(s string) (Faults, error) {
	f := Faults{}
	for part := range strings.SplitSeq(s, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok {
			return nil, fmt.Errorf("fault %q has no share; write it as %s=0.05", part, part)
		}
		if _, twice := f[name]; twice {
			return nil, fmt.Errorf("fault %q is given twice", name)
		}
		share, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("fault %s: %q is not a number from 0 to 1", name, value)
		}
		f[name] = share
	}
	return f, f.validate()
}

func (f Faults) validate() error {
	sum := 0.0
	for name, share := range f {
		if !slices.Contains(faultNames, name) {
			return fmt.Errorf("fault %q is unknown; known are %s", name, strings.Join(faultNames, ", "))
		}
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("fault %s has share %v; give a number from 0 to 1", name, share)
		}
		sum += share
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("the faults' shares add up to %.4g; a request has one fault at most, so keep the sum at 1 or below", sum)
	}
	return nil
}

// String is the form that ParseFaults reads.
func (f Faults) String() string {
	var parts []string
	for _, name := range faultNames {
		if share, ok := f[name]; ok {
			parts = append(parts, name+"="+strconv.FormatFloat(share, 'g', -1, 64))
		}
	}
	return strings.Join(parts, ",")
}

// pick is the fault of the request with this key, "" for none.
func (f Faults) pick(key uint64) string {
	u := random.Unit(random.Mix(key, random.SaltFault))
	for _, name := range faultNames {
		share := f[name]
		if u < share {
			return name
		}
		u -= share
	}
	return ""
}
