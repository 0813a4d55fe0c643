package sim

import (
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// ending is what happens after the last token of a stream.
type ending uint8

const (
	endNormal    ending = iota // finish reason, usage, [DONE]
	endClean                   // truncated: the response ends as if it were whole
	endClose                   // truncated: the socket is closed without the last chunk
	endReset                   // the socket is reset
	endError                   // an error event
	endErrorDone               // an error event and [DONE]
)

// closes tells whether the connection ends with the answer.
func (e ending) closes() bool { return e == endClose || e == endReset }

// plan is how a request will be answered. It is made before the first byte.
type plan struct {
	fault  string
	want   int    // tokens that will be sent
	finish string // finish_reason; "" if none is sent
	ending ending
	stall  int // stop before this token; 0: never
	text   vocab.Answer
	favour favour // of a prompt that is repeated
}

// unseen is how many of the tokens have no text: the one that ends the answer.
func (p *plan) unseen(c *dialect.Call) int {
	if c.Dialect != nil && c.Dialect.EndToken && p.finish == "stop" && p.want > 0 {
		return 1
	}
	return 0
}

// makePlan lays the fault over the normal answer. A fault that cannot be, such
// as fewer tokens than one, is none, and the truth then says so.
func makePlan(fault string, key uint64, c *dialect.Call, full int, finish string) plan {
	p := plan{fault: fault, want: full, finish: finish}
	// Somewhere in the middle: at least one token before, and one after if there are two.
	middle := 1
	if full > 2 {
		middle = 1 + int(random.Mix(key, random.SaltCut)%uint64(full-1))
	}
	coin := random.Mix(key, random.SaltCoin)&1 == 0
	switch fault {
	case FaultTruncate:
		p.want, p.finish, p.ending = middle, "", endClean
		if coin || !c.Stream {
			p.ending = endClose
		}
	case FaultReset:
		p.want, p.finish, p.ending = middle, "", endReset
	case FaultErrorEvent:
		if !c.Stream { // there is no stream for an event to be in
			p.fault = ""
			break
		}
		p.want, p.finish, p.ending = middle, "", endError
		if coin {
			p.ending = endErrorDone
		}
	case FaultStall:
		if full < 2 {
			p.fault = ""
			break
		}
		p.stall = middle
	case FaultShort:
		if full < 2 {
			p.fault = ""
			break
		}
		p.want, p.finish = middle, "stop"
	case FaultEmpty:
		p.want, p.finish = 0, "stop"
	}
	return p
}
