package agent

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/inferometer/inferometer/internal/fleet/message"
)

// How far from now a start may lie.
const (
	latestStart  = time.Second
	longestAhead = 10 * time.Minute
)

// handle answers what a leader asks.
func (a *Agent) handle(ctx context.Context, ask *message.Ask, received time.Time) *message.Answer {
	answer := &message.Answer{}
	var err error
	switch ask.Kind {
	case message.Clock: // the times of the answer say it
	case message.Offer:
		answer.Nonce, err = a.offer(ctx, ask)
	case message.Piece:
		answer.Piece, err = a.piece(a.ID, ask)
	default:
		answer.Status, err = a.ofRun(ask, received)
	}
	if err != nil {
		answer.Error = err.Error()
	}
	return answer
}

// offer takes a run on, and gives the nonce that starts it.
func (a *Agent) offer(ctx context.Context, ask *message.Ask) (nonce string, err error) {
	a.settle()
	a.mu.Lock()
	defer a.mu.Unlock()
	if j := a.job; j != nil && !isClosed(j.done) {
		if j.run == ask.Run && reflect.DeepEqual(j.asked, ask) && !j.started() {
			return j.nonce, nil // the answer was lost on its way
		}
		return "", fmt.Errorf("the agent is busy with the run %s", j.run)
	}
	switch {
	case a.closing:
		return "", errors.New("the agent is being stopped")
	case a.Once && a.job != nil:
		return "", errors.New("the agent ends after one run, and has had it")
	case a.job != nil && a.job.run == ask.Run:
		return "", fmt.Errorf("the agent has had the run %s already: nothing is sent twice", ask.Run)
	}
	o, err := a.check(ask)
	if err != nil {
		a.Say("refused the run %s: %v", ask.Run, err)
		return "", err
	}
	j, err := a.newJob(ask, o)
	if err != nil {
		a.Say("refused the run %s: %v", ask.Run, err)
		return "", err
	}
	a.job = j
	a.Say("accepted the run %s of a leader with version %s: %s of %s", ask.Run, ask.Version, shareWords(o.spec), o.spec.URLs[0])
	go j.do(ctx)
	return j.nonce, nil
}

// settleTime is what an agent needs, after it has told that a run is over, to be free.
const settleTime = 5 * time.Second

// settle waits for a run that is over to be so here too: who has just been told of its end
// may ask for the next one.
func (a *Agent) settle() {
	a.mu.Lock()
	j := a.job
	a.mu.Unlock()
	if j == nil || !j.concluded() {
		return
	}
	select {
	case <-j.done:
	case <-time.After(settleTime):
	}
}

// ofRun does what is asked of the run that there is, and tells how far it is.
func (a *Agent) ofRun(ask *message.Ask, received time.Time) (*message.Status, error) {
	a.mu.Lock()
	j := a.job
	a.mu.Unlock()
	if j == nil || j.run != ask.Run {
		return a.ofKept(a.ID, ask)
	}
	var err error
	switch ask.Kind {
	case message.Start:
		if err = j.start(ask.Nonce, time.Unix(0, ask.At), received); err != nil {
			a.Say("refused a start of the run %s: %v", ask.Run, err)
		}
	case message.Drain:
		j.stop("the leader asked for it", false)
	case message.Cancel:
		j.stop("the leader cancelled it", false)
		j.cancel()
	case message.Forget:
		a.settle()
		err = j.forget(ask.SHA256)
	case message.State:
	default:
		err = fmt.Errorf("%q is nothing that this agent knows how to do", string(ask.Kind))
	}
	return j.last(), err
}
