package lead

import "time"

// goneWithin is how soon after its last word an agent's connection must be gone, for its process
// to have ended with it. An agent that hears nothing of NATS gives its connection up after six seconds
// (bus: its pings), and goes on by itself.
const goneWithin = 5 * time.Second

// sawGone takes in that nobody listens by an agent's id. That proves the end of its process where
// nothing else can have closed its connection: NATS itself was there all the time, as this leader's
// own connection shows, nothing lies between the agent and NATS, and its last word is too fresh for the
// agent to have closed it by itself. Then what it had not told before it has not sent: an agent whose
// process lives would be back at once.
//
// Where any of this is not so, it may be cut off and sending, for as long as its lease.
func (a *agent) sawGone(connected time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.status != nil && a.status.Direct && connected.Before(a.contact) && time.Since(a.contact) < goneWithin {
		a.dead = true
	}
}
