package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/inferometer/inferometer/internal/send/target"
)

// patience bounds every wait.
const patience = time.Minute

// fakeJob does what its function says.
type fakeJob struct {
	do    func(ctx context.Context, drain <-chan struct{}, up *Servers) error
	ended func(Outcome) error
}

func (j *fakeJob) Begin() error { return nil }

func (j *fakeJob) Run(ctx context.Context, drain <-chan struct{}, up *Servers) error {
	if j.do == nil {
		return nil
	}
	return j.do(ctx, drain, up)
}

func (j *fakeJob) Ended(o Outcome) error {
	if j.ended == nil {
		return nil
	}
	return j.ended(o)
}

// lab is a folder with a runner in it, whose events are written down.
type lab struct {
	t      *testing.T
	url    string
	events []string
	Runner
}

func newLab(t *testing.T) *lab {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	l := &lab{t: t, url: server.URL}
	names := map[Kind]string{Skipped: "skipped", Starting: "starting", Up: "up", Running: "running", Ended: "ended", Down: "down", Note: "note"}
	l.Runner = Runner{Folder: t.TempDir(), LockFile: "lock", Client: server.Client(), Observe: func(e Event) {
		word := names[e.Kind]
		if e.Point != nil {
			word += " " + e.Point.Name
		}
		if e.Kind == Ended {
			word += " " + string(e.Outcome.State)
		}
		l.events = append(l.events, word)
	}}
	return l
}

// target is a process that lives until it is stopped; a server of the test answers for it.
func (l *lab) target(name string) *Target {
	return &Target{Name: name, Key: name, Servers: func(context.Context, *Servers) ([]Server, error) {
		c := target.Command{Args: []string{"/bin/sh", "-c", "exec sleep 300"}, Log: filepath.Join(l.Folder, name+".log")}
		return []Server{{Name: name, URL: l.url, Command: c, Ready: Readiness{Path: "/", Timeout: patience}}}, nil
	}}
}

func list(points ...*Point) Points {
	return func(yield func(*Point, error) bool) {
		for _, p := range points {
			if !yield(p, nil) {
				return
			}
		}
	}
}

// A server stays up for the points that need it, a point that failed does not end the
// run, and a point that has a result needs no server.
func TestRealServersAreSharedByPoints(t *testing.T) {
	for _, dry := range []bool{false, true} {
		t.Run(fmt.Sprintf("dry run %v", dry), func(t *testing.T) {
			l := newLab(t)
			l.DryRun = dry
			a, b := l.target("a"), l.target("b")
			bad := &fakeJob{do: func(context.Context, <-chan struct{}, *Servers) error { return errors.New("no good") }}
			var fresh []bool
			look := &fakeJob{do: func(_ context.Context, _ <-chan struct{}, up *Servers) error {
				fresh = append(fresh, up.Fresh)
				return nil
			}}
			err := l.Run(t.Context(), nil, list(
				&Point{Name: "1", Target: a, Job: look}, &Point{Name: "2", Target: a, Job: look}, &Point{Name: "3", Target: b, HasResult: true},
				&Point{Name: "4", Target: b, Job: bad}, &Point{Name: "5", Target: b, Job: look}))
			if err != nil {
				t.Fatal(err)
			}
			want := []string{
				"starting 1", "up 1", "running 1", "ended 1 done", "running 2", "ended 2 done", "down", "skipped 3",
				"starting 4", "up 4", "running 4", "ended 4 failed", "running 5", "ended 5 done", "down",
			}
			if dry {
				want = slices.DeleteFunc(want, func(s string) bool { return s[:2] == "up" })
				want[slices.Index(want, "ended 4 failed")] = "ended 4 done" // it was not tried
			}
			if diff := cmp.Diff(want, l.events); diff != "" {
				t.Error(diff)
			}
			if !dry && !slices.Equal(fresh, []bool{true, false, false}) {
				t.Errorf("fresh servers: %v", fresh)
			}
		})
	}
}

// Later points are made from the results of earlier ones; an error of a front end, or
// of keeping an outcome, ends the run.
func TestPointsAreMadeWhileTheyRun(t *testing.T) {
	l := newLab(t)
	here := &Target{Name: "here", Key: "here", Up: []Server{{URL: l.url}}}
	results, bad := 0, errors.New("the disk is full")
	count := &fakeJob{do: func(context.Context, <-chan struct{}, *Servers) error { results++; return nil }}
	for _, tt := range []struct {
		last *Point
		err  error
	}{
		{nil, bad},
		{&Point{Name: "last", Target: here, Job: &fakeJob{ended: func(Outcome) error { return bad }}}, nil},
	} {
		l.events, results = nil, 0
		err := l.Run(t.Context(), nil, func(yield func(*Point, error) bool) {
			for results < 2 {
				if !yield(&Point{Name: fmt.Sprint(results), Target: here, Job: count}, nil) {
					return
				}
			}
			if yield(tt.last, tt.err) {
				t.Error("the run goes on")
			}
		})
		if !errors.Is(err, bad) || results != 2 {
			t.Errorf("%v after %d results", err, results)
		}
	}
}

// The first interrupt reaches the child, which ends as it likes; no other point begins.
func TestRealInterruptIsHandedOn(t *testing.T) {
	l := newLab(t)
	here := &Target{Name: "here", Key: "here", Up: []Server{{URL: l.url}}}
	drain := make(chan struct{})
	var outcome Outcome
	j := &fakeJob{ended: func(o Outcome) error { outcome = o; return nil }}
	j.do = func(ctx context.Context, drain2 <-chan struct{}, _ *Servers) error {
		c := target.Command{Args: []string{"/bin/sh", "-c", "trap 'exit 3' INT; while :; do sleep 0.05; done"}, Log: filepath.Join(l.Folder, "log")}
		close(drain) // sh may not have set its trap yet: it ends by the signal then
		p, err := l.Child(ctx, drain2, c)
		if err != nil {
			t.Fatal(err)
		}
		return p.Err()
	}
	err := l.Run(t.Context(), drain, list(&Point{Name: "1", Target: here, Job: j}, &Point{Name: "2", Target: here, Job: j}))
	if !errors.Is(err, ErrInterrupted) || outcome.State != Interrupted {
		t.Errorf("%v, %+v", err, outcome)
	}
	if diff := cmp.Diff([]string{"running 1", "ended 1 interrupted"}, l.events); diff != "" {
		t.Error(diff)
	}
}

// A server that dies under a point fails it, however well the point itself ended.
func TestRealServerThatDies(t *testing.T) {
	l := newLab(t)
	dying := l.target("dying")
	var errs []error
	j := &fakeJob{ended: func(o Outcome) error { errs = append(errs, o.Err); return nil }}
	j.do = func(_ context.Context, _ <-chan struct{}, up *Servers) error {
		up.slots[0].process.Interrupt()
		up.slots[0].process.Wait()
		return nil
	}
	if err := l.Run(t.Context(), nil, list(&Point{Name: "1", Target: dying, Job: j}, &Point{Name: "2", Target: dying, Job: &fakeJob{}})); err != nil {
		t.Fatal(err)
	}
	if len(errs) != 1 || errs[0] == nil {
		t.Errorf("%v", errs)
	}
	want := []string{"starting 1", "up 1", "running 1", "down", "ended 1 failed", "starting 2", "up 2", "running 2", "ended 2 done", "down"}
	if diff := cmp.Diff(want, l.events); diff != "" {
		t.Error(diff)
	}
}

// A server that is up and refuses us is never ready: the last answer is in the error. What waits for it has the
// time that it was given, and no more points wait for it again.
func TestRealServerThatRefuses(t *testing.T) {
	l := newLab(t)
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		http.Error(w, "no", http.StatusUnauthorized)
	}))
	defer server.Close()
	l.url = server.URL
	refusing := l.target("refusing")
	servers := refusing.Servers
	refusing.Servers = func(ctx context.Context, up *Servers) ([]Server, error) {
		list, err := servers(ctx, up)
		list[0].Ready.Timeout, list[0].Ready.Late = time.Second, errors.New("it was not ready in time")
		return list, err
	}
	var errs []string
	j := &fakeJob{ended: func(o Outcome) error { errs = append(errs, o.Err.Error()); return nil }}
	if err := l.Run(t.Context(), nil, list(&Point{Name: "1", Target: refusing, Job: j}, &Point{Name: "2", Target: refusing, Job: j})); err != nil {
		t.Fatal(err)
	}
	if len(errs) != 2 || !strings.Contains(errs[0], "it was not ready in time; the last try: ") || !strings.Contains(errs[0], "answered HTTP 401") ||
		!strings.HasPrefix(errs[1], "its server did not come up before: ") || asked == 0 {
		t.Errorf("asked %d times: %q", asked, errs)
	}
	if diff := cmp.Diff([]string{"starting 1", "down", "ended 1 failed", "ended 2 failed"}, l.events); diff != "" {
		t.Error(diff)
	}
}

// Servers behind a router are started before it, and stay up while the next router stands before the same.
func TestRealServersBehindStayUp(t *testing.T) {
	l := newLab(t)
	var order []string
	named := func(name string, behind *Target) *Target {
		made := l.target(name)
		servers := made.Servers
		made.Behind, made.Servers = behind, func(ctx context.Context, up *Servers) ([]Server, error) {
			word := "start " + name
			if up != nil {
				word += " before " + up.target.Name
			}
			order = append(order, word)
			return servers(ctx, up)
		}
		made.WhenDown = func() { order = append(order, "stop "+name) }
		return made
	}
	two, three := named("two", nil), named("three", nil)
	look := func(word string) *fakeJob {
		return &fakeJob{do: func(_ context.Context, _ <-chan struct{}, up *Servers) error {
			order = append(order, fmt.Sprintf("%s fresh %v", word, up.Fresh))
			return nil
		}}
	}
	a, b, c, alone := named("a", two), named("b", two), named("c", three), named("alone", nil)
	if err := l.Run(t.Context(), nil, list(
		&Point{Name: "1", Target: a, Job: look("1")}, &Point{Name: "2", Target: b, Job: look("2")},
		&Point{Name: "3", Target: c, Job: look("3")}, &Point{Name: "4", Target: alone, Job: look("4")})); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"start two", "start a before two", "1 fresh true", "stop a", "start b before two", "2 fresh false", "stop b", "stop two",
		"start three", "start c before three", "3 fresh true", "stop c", "stop three", "start alone", "4 fresh true", "stop alone",
	}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
}
