package lead

import "time"

// goneWithin is how soon after its last word an agent's connection must be gone, for its process
// to have ended with it. An agent that hears nothing of NATS gives its connection up after six seconds
// (bus: its pings), and goes on by itself.
const goneWithin = 5 * time.Second

// sawGone takes in that nothing is listening by an agent's id. That proves the end of its process where
// nothing else can have closed its connection: NATS itself was there all the time, as this leader's
// own connection shows, nothing lies between the agent and NATS, and its last word is too fresh for the
// agent to have closed it by itself. Then what it had not told before it has not sent: an agent whose
// process lives would be back at once.
//
// After a silence its word may be an old one: what an agent told before it gave its connection up
// comes through when the network is mended, and so does the end of that connection. Only an answer
// shows that it has one now.
//
// Where any of this is not so, it may be cut off and sending, for as long as its lease.
func (a *agent) sawGone(connected time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.status != nil && a.status.Direct && !a.doubt && connected.Before(a.contact) && time.Since(a.contact) < goneWithin {
		a.dead = true
	}
}

// answered takes in that an agent has answered what it was asked just now.
func (a *agent) answered() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.doubt = false
}
