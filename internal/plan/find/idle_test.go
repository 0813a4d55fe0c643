package find

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
)

// asked is what a server answers when its metrics are asked for the n-th time.
type asked func(n int) (metrics string, status int)

// answers is a server within the process.
type answers struct {
	say   asked
	times int
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	text, status := "no", http.StatusNotFound
	if r.URL.Path == "/metrics" {
		a.times++
		text, status = a.say(a.times)
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

// The next probe waits until the servers have nothing under way; the cool-down is for those that don't say, and a
// server that never gets idle is not waited for longer than half a minute.
func TestWaitUntilIdle(t *testing.T) {
	busy := func(until int) asked {
		return func(n int) (string, int) {
			running := 0
			if n < until {
				running = 3
			}
			return fmt.Sprintf("vllm:num_requests_running %d\nvllm:num_requests_waiting 0\n", running), http.StatusOK
		}
	}
	silent := asked(func(int) (string, int) { return "no", http.StatusNotFound })
	for _, tt := range []struct {
		name    string
		servers []asked
		want    time.Duration
		asked   int // the first; 0: as often as it may be, as the last question and the end come at once
	}{
		{"idle", []asked{busy(1)}, 0, 1},
		{"soon", []asked{busy(5)}, 4 * askEvery, 5},
		{"silent", []asked{silent}, 7 * time.Second, 1},
		{"both", []asked{busy(3), silent}, 2*askEvery + 7*time.Second, 3},
		{"never", []asked{busy(1 << 30)}, askMost, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &Finder{Options: Options{Cooldown: 7 * time.Second}}
				var first *answers
				for _, say := range tt.servers {
					a := &answers{say: say}
					if first == nil {
						first = a
					}
					f.Servers = append(f.Servers, &target.Target{Base: "http://server", Client: &http.Client{Transport: a}})
				}
				began := time.Now()
				f.waitIdle(t.Context())
				if got := time.Since(began); got != tt.want || tt.asked > 0 && first.times != tt.asked {
					t.Errorf("%v and %d questions, not %v and %d", got, first.times, tt.want, tt.asked)
				}
			})
		})
	}
	// The end of the search ends the wait.
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		f := &Finder{Options: Options{Cooldown: time.Hour}, Servers: []*target.Target{{Base: "http://server", Client: &http.Client{Transport: &answers{say: silent}}}}}
		began := time.Now()
		f.waitIdle(ctx)
		if got := time.Since(began); got != time.Second {
			t.Errorf("%v", got)
		}
	})
}
