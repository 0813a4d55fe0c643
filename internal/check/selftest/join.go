// Package selftest says how far our own measurement is off. It joins a journal
// with the simulator's truth, event by event, and makes of several such runs, at
// rising loads, a claim about this machine:
//
//	journal ─┐
//	         ├─▶ Join ─▶ Errors (one round) ─▶ Step (all rounds of one load) ─▶ Result with its Claim
//	truth ───┘
//
// Who starts the simulator and the client is the command line; here are files and
// arithmetic only. docs/doctor.md tells users what the words mean.
package selftest

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/sim/truth"
)

// Errors is one run of the client, held against the truth. All are ours minus the
// server's.
type Errors struct {
	Stamps   string // whose times they are: the kernel's, or the user's
	Requests int    // complete ones: only those are compared
	Failed   int
	Events   int
	Shared   int // events that lay in one read with the one before

	// Event times, with their signs: as the journal has them; of events that share
	// no read with a later one; and as our own code saw them.
	At, Alone, User Spread
	// What is made of them, without signs. The truth of a TTFT begins when the
	// server's kernel had the request, or where that is not told, when the server
	// had read it: what connecting, sending and perhaps the server's own reading
	// took is in the error, so that ours alone is no larger.
	TTFT, Gap Spread
	Lag       Spread // from the kernel to our code

	StreamRate  float64 // token chunks a second of a stream, as the server sent them
	PeakStreams int
	CPU         float64 // processors that the client kept busy
	RSSBytes    int64
}

// Join compares a journal with the truth.
func Join(journalPath, truthPath string) (*Errors, error) {
	known, err := readTruth(truthPath)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(journalPath)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	c := joiner{zero: j.Run().StartUnixNs, Errors: Errors{Stamps: j.Run().Clock}}
	for {
		q, err := j.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t, ok := known[q.ID]; {
		case q.Warmup:
		case q.Outcome != journal.Complete:
			c.Failed++
		case !ok:
			return nil, fmt.Errorf("request %s is not in the truth", q.ID)
		case len(t.Events) != len(q.Events.At) || len(q.Events.Kind) != len(q.Events.At):
			return nil, fmt.Errorf("request %s: we saw %d events, the server sent %d", q.ID, len(q.Events.At), len(t.Events))
		default:
			c.add(q, t)
		}
	}
	return c.sum(j.End()), nil
}

// joiner gathers errors.
type joiner struct {
	Errors
	zero                 int64 // of the run's clock
	at, alone, user      []int64
	ttft, gaps, lags     []int64
	truthGaps, truthTime int64 // between the chunks of a stream, by the server
}

func (c *joiner) add(q *journal.Request, t truth.Request) {
	c.Requests++
	c.Shared += q.SharedReads
	at, last := c.zero+q.Sent, -1 // the last token chunk
	lastOff := int64(0)
	for i, gap := range q.Events.At {
		at += gap
		off, lag := at-t.Events[i], int64(0)
		if q.Events.Lag != nil {
			lag = q.Events.Lag[i]
			c.lags = append(c.lags, lag)
		}
		c.at = append(c.at, off)
		c.user = append(c.user, off+lag)
		if i+1 == len(t.Events) || q.Events.At[i+1] != 0 { // one read has one stamp: that of its last bytes
			c.alone = append(c.alone, off)
		}
		if q.Events.Kind[i]&journal.EventChoices == 0 {
			continue
		}
		if last < 0 {
			c.ttft = append(c.ttft, off+t.Begun()-(c.zero+q.Sent))
		} else {
			c.gaps = append(c.gaps, off-lastOff)
			c.truthGaps++
			c.truthTime += t.Events[i] - t.Events[last]
		}
		last, lastOff = i, off
	}
}

func (c *joiner) sum(end *journal.End) *Errors {
	e := &c.Errors
	e.Events = len(c.at)
	e.At, e.Alone, e.User = spreadOf(c.at), spreadOf(c.alone), spreadOf(c.user)
	e.TTFT, e.Gap, e.Lag = sizes(c.ttft), sizes(c.gaps), spreadOf(c.lags)
	if c.truthTime > 0 {
		e.StreamRate = float64(c.truthGaps) / time.Duration(c.truthTime).Seconds()
	}
	if end == nil {
		return e
	}
	e.PeakStreams, e.RSSBytes = end.PeakInFlight, end.Client.MaxRSSBytes
	if end.At > 0 {
		e.CPU = float64(end.Client.UserCPUNs+end.Client.SystemCPUNs) / float64(end.At)
	}
	return e
}
