// Package served measures a run by the simulator's log: the journal's requests with the times at which the server
// sent in place of those at which we received, by the same definitions as the run's own result.
package served

import (
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/judge/measure"
	"github.com/inferometer/inferometer/internal/sim/truth"
)

// Log is what simulators wrote down, by request id.
type Log map[string]truth.Request

// Read reads the logs of a run's simulators.
func Read(paths ...string) (Log, error) {
	out := Log{}
	for _, path := range paths {
		all, err := truth.Read(path)
		if err != nil {
			return nil, err
		}
		for _, r := range all {
			out[r.ID] = r
		}
	}
	return out, nil
}

// Times are which of the log's times are taken.
type Times struct {
	// Arrived: a request begins when the server's kernel had all of it, where that is known; else when the client sent it,
	// by its own clock.
	Arrived bool
	// Handed: an event's time is by when its write had ended; else since when it had begun. The kernel had it in between.
	Handed bool
}

// Measure is a journal's result: as it is where the log is nil, else with the log's times. A request that did not
// complete keeps the journal's.
func Measure(path string, log Log, times Times) (*measure.Result, error) {
	j, err := journal.Open(path)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	return measure.Measure(&trueJournal{j, log, times}, measure.Options{})
}

// trueJournal is a journal whose events have the times of the log.
type trueJournal struct {
	*journal.Reader
	log   Log
	times Times
}

func (j *trueJournal) Next() (*journal.Request, error) {
	q, err := j.Reader.Next()
	if err != nil || j.log == nil || q.Warmup || q.Outcome != journal.Complete {
		return q, err
	}
	at, ok := j.log[q.ID]
	if !ok || len(at.Events) != len(q.Events.At) {
		return nil, fmt.Errorf("request %s: we saw %d events, the server sent %d", q.ID, len(q.Events.At), len(at.Events))
	}
	zero := j.Run().StartUnixNs
	if j.times.Arrived && at.Arrived > 0 {
		q.Sent = at.Arrived - zero
	}
	before := zero + q.Sent
	events := at.Events
	if j.times.Handed {
		events = at.Handed()
	}
	for i, ns := range events {
		q.Events.At[i] = ns - before
		before = ns
	}
	q.End = max(before, at.Ended) - zero // what comes after the last event, such as [DONE], ends the answer
	return q, nil
}
