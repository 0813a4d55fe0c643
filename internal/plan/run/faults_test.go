package run

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/inferometer/inferometer/internal/send/target"
	"github.com/inferometer/inferometer/internal/spec/fault"
)

// serveVariable makes of the test's program a server at an address.
const serveVariable = "RUN_TEST_SERVER"

func TestMain(m *testing.M) {
	if address := os.Getenv(serveVariable); address != "" {
		beServer(address)
	}
	os.Exit(m.Run())
}

// beServer ticks on each connection to /ticks, and says what was posted to it.
func beServer(address string) {
	var mu sync.Mutex
	var posted []string
	http.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("POST /flush_cache", func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		posted = append(posted, r.URL.Path)
	})
	http.HandleFunc("/posted", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprint(w, strings.Join(posted, " "))
	})
	http.HandleFunc("/ticks", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			fmt.Fprintln(w, time.Now().UnixNano())
			_ = http.NewResponseController(w).Flush()
			time.Sleep(time.Millisecond)
		}
	})
	fmt.Println(http.ListenAndServe(address, nil))
	os.Exit(1)
}

// backends are so many such servers, and as many spare ones.
func (l *lab) backends(n, spare int) *Target {
	return &Target{Name: "backends", Key: "backends", Servers: func(context.Context, *Servers) (list []Server, err error) {
		for i := range n + spare {
			port, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				return nil, err
			}
			address := port.Addr().String()
			_ = port.Close()
			part := fmt.Sprint("backend-", i+1)
			list = append(list, Server{
				Name: part, Part: part, URL: "http://" + address, Spare: i >= n, Relayed: i == 0,
				Ready: Readiness{Path: "/health", Timeout: patience},
				Command: target.Command{
					Args: []string{os.Args[0]}, Env: []string{serveVariable + "=" + address},
					Log: filepath.Join(l.Folder, part+".log"), PIDFile: filepath.Join(l.Folder, part+"-pid.json"),
				},
			})
		}
		return list, nil
	}}
}

// tick is a line of a server: when it was written, and when it came.
type tick struct{ written, came time.Time }

// listen reads a server's ticks until they end, and tells when that was.
func listen(t *testing.T, url string) (ticks func() []tick, ended <-chan time.Time) {
	t.Helper()
	resp, err := http.Get(url + "/ticks")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	var mu sync.Mutex
	var all []tick
	first, over := make(chan struct{}), make(chan time.Time, 1)
	go func() {
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
			var ns int64
			_, _ = fmt.Sscan(lines.Text(), &ns)
			mu.Lock()
			if all = append(all, tick{time.Unix(0, ns), time.Now()}); len(all) == 1 {
				close(first)
			}
			mu.Unlock()
		}
		over <- time.Now()
	}()
	<-first
	return func() []tick {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}, over
}

// allowed is how far what is written down may be from what the clients of a server saw, on a machine that lets them.
const allowed = 20 * time.Millisecond

// late is by how much this machine was late at most.
var late atomic.Int64

// watchLateness looks how late this machine is, until the test is over.
func watchLateness(t *testing.T) {
	t.Helper()
	over := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		for {
			begin := time.Now()
			select {
			case <-over:
				return
			case <-time.After(time.Millisecond):
				late.Store(max(late.Load(), int64(time.Since(begin)-time.Millisecond)))
			}
		}
	})
	t.Cleanup(func() { close(over); done.Wait() })
}

func near(t *testing.T, what string, noted, seen time.Time) {
	t.Helper()
	if d := seen.Sub(noted).Abs(); d > allowed+time.Duration(late.Load()) {
		t.Errorf("%s: noted %v from when it was seen", what, d)
	}
}

// Each fault is done to the server that it names, when it says; the point is no failure, and the next one has others.
func TestRealFaults(t *testing.T) {
	watchLateness(t)
	l := newLab(t)
	l.Client = http.DefaultClient
	backends := l.backends(2, 1)
	router := l.target("router")
	router.Behind = backends
	var first []string
	test := &fakeJob{do: func(ctx context.Context, _ <-chan struct{}, up *Servers) error {
		first = up.Behind.URLs
		testFaults(t, ctx, up)
		return nil
	}}
	var second []string
	look := &fakeJob{do: func(_ context.Context, _ <-chan struct{}, up *Servers) error {
		second = up.Behind.URLs
		return nil
	}}
	var outcomes []Outcome
	test.ended = func(o Outcome) error { outcomes = append(outcomes, o); return nil }
	if err := l.Run(t.Context(), nil, list(&Point{Name: "1", Target: router, Job: test}, &Point{Name: "2", Target: router, Job: look})); err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != 1 || outcomes[0].Err != nil {
		t.Errorf("a server that was killed on purpose failed its point: %+v", outcomes)
	}
	if len(first) != 2 || len(second) != 2 || slices.Equal(first, second) {
		t.Errorf("the servers of the next point are those that faults were done to: %q, %q", first, second)
	}
	if left, _ := filepath.Glob(filepath.Join(l.Folder, "*-pid.json")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

func testFaults(t *testing.T, ctx context.Context, up *Servers) {
	do := func(f fault.Fault) fault.Done {
		t.Helper()
		done, err := up.Do(ctx, f)
		if err != nil {
			t.Errorf("%s: %v", f.String(), err)
		}
		return done
	}
	refused := func(f fault.Fault, want string) {
		t.Helper()
		if _, err := up.Do(ctx, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", f.String(), err, want)
		}
	}
	one, two := up.Behind.URLs[0], up.Behind.URLs[1]

	_, ended := listen(t, two)
	killed := do(fault.Fault{Do: fault.Kill, On: "backend-2"})
	seen := <-ended
	near(t, "kill began", killed.Began, seen)
	near(t, "kill ended", killed.Ended, seen)
	if killed.URL != two {
		t.Errorf("%s was killed, not %s", killed.URL, two)
	}
	refused(fault.Fault{Do: fault.Kill, On: "backend-2"}, "it is not up")
	refused(fault.Fault{Do: fault.Stop, On: "backend-9"}, "no server")
	do(fault.Fault{Do: fault.Start, On: "backend-2"})
	refused(fault.Fault{Do: fault.Start, On: "backend-2"}, "it is up")

	ticks, ended := listen(t, two)
	stopped := do(fault.Fault{Do: fault.Stop, On: "backend-2"})
	time.Sleep(100 * time.Millisecond) // so long it says nothing
	went := do(fault.Fault{Do: fault.Continue, On: "backend-2"})
	before, after := around(t, ticks, stopped.Began.Add(50*time.Millisecond))
	near(t, "stop", stopped.Began, before.came)
	near(t, "continue", went.Ended, after.came)

	drained := do(fault.Fault{Do: fault.Drain, On: "backend-2", For: time.Second})
	near(t, "drain", drained.Ended, <-ended)
	do(fault.Fault{Do: fault.Start, On: "backend-2"})

	refused(fault.Fault{Do: fault.Slow, On: "backend-2", By: time.Second}, "no relay")
	ticks, ended = listen(t, one)
	slowed := do(fault.Fault{Do: fault.Slow, On: "backend-1", By: 50 * time.Millisecond})
	_, slow := around(t, ticks, slowed.Ended.Add(25*time.Millisecond))
	if d := slow.came.Sub(slow.written); d < 50*time.Millisecond || d > 50*time.Millisecond+allowed+time.Duration(late.Load()) {
		t.Errorf("a slow one is %v late", d)
	}
	do(fault.Fault{Do: fault.Mend, On: "backend-1"})
	cut := do(fault.Fault{Do: fault.Cut, On: "backend-1"})
	near(t, "cut", cut.Began, <-ended)
	do(fault.Fault{Do: fault.Mend, On: "backend-1"})
	ticks, _ = listen(t, one)
	silent := do(fault.Fault{Do: fault.Cut, On: "backend-1", How: fault.Silent})
	time.Sleep(100 * time.Millisecond) // so long nothing comes
	mended := do(fault.Fault{Do: fault.Mend, On: "backend-1"})
	before, after = around(t, ticks, silent.Ended.Add(50*time.Millisecond))
	near(t, "silent", silent.Began, before.came)
	near(t, "mended", mended.Ended, after.came)

	if done := do(fault.Fault{Do: fault.Scale, To: 3}); done.What != "from 2 to 3: start backend-3" {
		t.Errorf("scaled: %s", done.What)
	}
	if done := do(fault.Fault{Do: fault.ResetCache}); done.What != "3 servers" {
		t.Errorf("reset: %s", done.What)
	}
	for _, url := range up.Behind.URLs {
		if text, err := up.runner.At(url).Text(ctx, "/posted"); err != nil || text != "/flush_cache" {
			t.Errorf("%s was posted %q, %v", url, text, err)
		}
	}
	if done := do(fault.Fault{Do: fault.Scale, To: 1}); done.What != "from 3 to 1: drain backend-2, backend-3" {
		t.Errorf("scaled: %s", done.What)
	}
	refused(fault.Fault{Do: fault.Scale, To: 9}, "there are places for 3")
	refused(fault.Fault{Do: fault.LoadAdapter, Name: "a", Path: "/p"}, "404")
	do(fault.Fault{Do: fault.Stop, On: "backend-1"}) // and so it stays
}

// around are the ticks before and after a moment at which none came.
func around(t *testing.T, ticks func() []tick, moment time.Time) (before, after tick) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		for _, one := range ticks() {
			if one.came.After(moment) {
				return before, one
			}
			before = one
		}
	}
	t.Fatal("no tick came any more")
	return
}
