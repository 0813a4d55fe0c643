package selftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/journal"
)

// told keeps what a self-test says.
type told []string

func (l *told) Running(string)   {}
func (l *told) Note(text string) { *l = append(*l, text) }
func (l *told) Step(s *Step) {
	*l = append(*l, fmt.Sprintf("%d×%g ms: %s", s.Streams, s.ITLMS, s.Fails))
}

// exact is a round of a client without an error, which takes its time.
func exact(_ context.Context, l Load) (*Errors, error) {
	time.Sleep(l.Takes())
	return good(l), nil
}

// from makes rounds fail from so many streams on.
func from(streams int, then error) func(context.Context, Load) (*Errors, error) {
	return func(ctx context.Context, l Load) (*Errors, error) {
		e, err := exact(ctx, l)
		if l.Streams < streams {
			return e, err
		}
		e.TTFT.P99 = 11 * time.Millisecond
		return e, then
	}
}

// A self-test of rounds that take their time, in virtual time: what it climbs, says and claims.
func TestRun(t *testing.T) {
	lost := errors.New("lost")
	for name, c := range map[string]struct {
		Options
		round func(context.Context, Load) (*Errors, error)
		told  told
		claim int // streams; 0: none. The highest of several steps that hold is not claimed
		took  time.Duration
		fails error
	}{
		"two streams": {Options{Quick: true, MaxStreams: 2, Rounds: 1}, exact, told{"2×10 ms: "}, 2, 1700 * time.Millisecond, nil},
		"the quick ladder": { // each step: two rounds of 1.7 s; the fifth one fits as well
			Options{Quick: true}, exact, told{"10×10 ms: ", "50×10 ms: ", "200×10 ms: ", "500×10 ms: ", "1000×10 ms: "}, 500, 17 * time.Second, nil,
		},
		"no time for the last step": {
			Options{Quick: true, Rounds: 3}, exact, told{"10×10 ms: ", "50×10 ms: ", "200×10 ms: ", "no time is left for 500 streams"}, 50, 15300 * time.Millisecond, nil,
		},
		"not the low steps":   {Options{Quick: true, MinStreams: 500}, exact, told{"500×10 ms: ", "1000×10 ms: "}, 500, 6800 * time.Millisecond, nil},
		"where it fails":      {Options{Quick: true}, from(200, nil), told{"10×10 ms: ", "50×10 ms: ", "200×10 ms: TTFT is off by 11.0 ms, more than 10"}, 10, 13600 * time.Millisecond, nil},
		"nothing is proven":   {Options{Quick: true}, from(1, nil), told{"10×10 ms: TTFT is off by 11.0 ms, more than 10"}, 0, 6800 * time.Millisecond, nil},
		"a round is too long": {Options{Quick: true, MaxStreams: 2, Rounds: 1}, from(1, errTooLong), told{"2×10 ms: it took more than twice its time"}, 0, 3400 * time.Millisecond, nil},
		"no round can be run": {Options{Quick: true}, from(1, lost), nil, 0, 1700 * time.Millisecond, lost},
		"a later one can't":   {Options{Quick: true, MaxStreams: 50, Rounds: 1}, from(50, lost), told{"10×10 ms: ", "50×10 ms: lost"}, 10, 5100 * time.Millisecond, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				t.Setenv("TMPDIR", t.TempDir())
				var said told
				var r Result
				began := time.Now()
				err := (&Test{Options: c.Options, Progress: &said, Round: c.round}).Run(t.Context(), nil, &r)
				if took := time.Since(began); !errors.Is(err, c.fails) || took != c.took {
					t.Errorf("%v after %v; want %v after %v", err, took, c.fails, c.took)
				}
				if !reflect.DeepEqual(said, c.told) {
					t.Errorf("it said %q, want %q", said, c.told)
				}
				if claimed := r.Claim != nil; claimed != (c.claim > 0) || claimed && *r.Claim != (journal.ProvenPoint{Streams: c.claim, TokensPerS: float64(100 * c.claim), TTFTMS: 6, ITLMS: 0.6}) {
					t.Errorf("the claim is %+v, want %d streams", r.Claim, c.claim)
				}
				if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
					t.Errorf("%v are left in the folder for temporary files (%v)", left, err)
				}
			})
		})
	}
}

// One moment in which others had the machine does not end the ladder: the rounds are run once more.
func TestRunForgivesAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		round := func(ctx context.Context, l Load) (*Errors, error) {
			n++
			e, err := exact(ctx, l)
			if n == 1 {
				e.Failed = 1
			}
			return e, err
		}
		var said told
		var r Result
		if err := (&Test{Options: Options{Quick: true, MaxStreams: 2, Rounds: 1}, Progress: &said, Round: round}).Run(t.Context(), nil, &r); err != nil {
			t.Fatal(err)
		}
		if n != 2 || r.Claim == nil || !strings.Contains(r.Busy, "1 of 2 rounds were beyond the limits") && !strings.Contains(r.Busy, "other programs used") {
			t.Errorf("%d rounds; the claim is %+v, busy: %q", n, r.Claim, r.Busy)
		}
	})
}

// A drain, and the end of the context, end a self-test after the round that runs, and nothing is claimed.
func TestRunIsStopped(t *testing.T) {
	for _, by := range []string{"drain", "cancel"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			drain := make(chan struct{})
			n := 0
			round := func(ctx context.Context, l Load) (*Errors, error) {
				if n++; n == 2 && by == "drain" {
					close(drain)
				} else if n == 2 {
					cancel()
				}
				return exact(ctx, l)
			}
			var r Result
			err := (&Test{Options: Options{Quick: true}, Progress: new(told), Round: round}).Run(ctx, drain, &r)
			if !errors.Is(err, ErrStopped) || n != 2 || r.Claim != nil {
				t.Errorf("%s: %v after %d rounds, and the claim %+v", by, err, n, r.Claim)
			}
		})
	}
}
