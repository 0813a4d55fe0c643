package journal

// Outcome is how a request ended. Every request ends in exactly one.
type Outcome string

// The outcomes. Only Complete is a success.
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
	Protocol    Outcome = "protocol"
	Lost        Outcome = "lost"
	Unsent      Outcome = "unsent"
)

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
		return "we stopped it: deadline of the run, or Ctrl-C"
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
	Refused, Reset, Timeout, Cancelled, Protocol, Lost, Unsent,
}
