package target

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// What a server may make us read and wait for, when it is asked beside the load.
const (
	// maxAnswer is far above the metrics of a server with thousands of series, and
	// above a gateway's list of thousands of models.
	maxAnswer = 4 << 20
	// questionTimeout bounds one GET: what is asked for lies in the server's memory.
	questionTimeout = 10 * time.Second
	// What it may cost to find out what a server is. One question takes probeTimeout at most;
	// after mostSlow that took so long no more are asked.
	recogniseTimeout = 10 * time.Second
	probeTimeout     = 2 * time.Second
	mostProbes       = 13
	mostSlow         = 2
)

var errSlow = fmt.Errorf("no answer within %v", questionTimeout)

// slowWords says so where our own timeout has ended a question.
func slowWords(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, errSlow) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// noRedirect: a redirect would take headers with keys to whatever host the server
// names. The load follows none either.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
