package journal

import "strings"

// Outcome is how a request ended. Every request ends in exactly one.
type Outcome string

// The outcomes. Only Complete is a success, and all others but HungUp and Unsent are failures.
const (
	Complete    Outcome = "complete"
	Truncated   Outcome = "truncated"
	StreamError Outcome = "stream_error"
	Short       Outcome = "short"
	Long        Outcome = "long"
	Empty       Outcome = "empty"
	HTTP4xx     Outcome = "http_4xx"
	HTTP5xx     Outcome = "http_5xx"
	Refused     Outcome = "refused"
	Reset       Outcome = "reset"
	Timeout     Outcome = "timeout"
	Cancelled   Outcome = "cancelled"
	HungUp      Outcome = "hung_up"
	Protocol    Outcome = "protocol"
	Lost        Outcome = "lost"
	Unsent      Outcome = "unsent"
)

// Failed says that a request was sent and was neither answered to its end nor given up on purpose by its client.
func (o Outcome) Failed() bool { return o != Complete && o != HungUp && o != Unsent }

// Meaning is what an outcome says of a request; empty for one that is not ours.
func (o Outcome) Meaning() string {
	switch o {
	case Complete:
		return "answered to its end, and the only success"
	case Truncated:
		return "the stream ended without a finish reason or [DONE]"
	case StreamError:
		return "an error event inside a 200"
	case Short:
		return "fewer tokens than asked for with ignore_eos"
	case Long:
		return "far more tokens than asked for: cut off"
	case Empty:
		return "ended in good order, with no token"
	case HTTP4xx:
		return "the server answered with a status from 400 to 499"
	case HTTP5xx:
		return "the server answered with a status from 500 to 599"
	case Refused:
		return "no connection came about"
	case Reset:
		return "the connection broke"
	case Timeout:
		return "given up after --request-timeout"
	case Cancelled:
		return "we stopped it: deadline of the run, end of its grace, or Ctrl-C"
	case HungUp:
		return "we hung up on purpose (--request-cancellation-rate): neither a success nor a failure"
	case Protocol:
		return "the answer could not be understood"
	case Lost:
		return "its agent was lost: it may have been sent, and nothing more is known"
	case Unsent:
		return "planned, and certainly not sent: its agent was lost or stopped before"
	}
	return ""
}

// Outcomes lists all outcomes, in the order in which they are shown.
var Outcomes = []Outcome{
	Complete, Truncated, StreamError, Short, Long, Empty, HTTP4xx, HTTP5xx,
	Refused, Reset, Timeout, Cancelled, HungUp, Protocol, Lost, Unsent,
}

// overflows are the words by which servers say that a prompt does not fit into the model's context: those that AIPerf looks for, and llama.cpp's.
var overflows = []string{"context length", "maximum context", "context_length_exceeded", "prompt is too long", "available context size"}

// Overflow says whether words of a server mean that a prompt does not fit into the model's context.
func Overflow(words string) bool {
	words = strings.ToLower(words)
	for _, o := range overflows {
		if strings.Contains(words, o) {
			return true
		}
	}
	return false
}

// Overflow says that the request failed since its prompt does not fit into the model's context.
func (r *Request) Overflow() bool { return r.Outcome != Complete && Overflow(r.Error) }

// Grace is why an answer was cut that had not come when its run had ended as planned and the time for such answers was over.
const Grace = "grace period over"

// CutByGrace says that the request was cancelled for [Grace].
func (r *Request) CutByGrace() bool {
	return r.Outcome == Cancelled && strings.Contains(r.Error, Grace)
}
