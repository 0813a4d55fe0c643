package otlp

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	traces "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/inferometer/inferometer/internal/export/tally"
	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/send/live"
)

const (
	maxWaiting   = 1 << 16         // spans that wait for a collector
	batch        = 512             // spans of one message
	spansEvery   = time.Second     // or as soon as a batch is there
	metricsEvery = 5 * time.Second // and at the end
	flushTime    = 10 * time.Second
	tryTime      = 2 * time.Second
)

// Exporter tells a collector of one run. Its methods may be called at the same time.
type Exporter struct {
	client *client
	flush  time.Duration // flushTime, of tests more
	queue  *queue

	mu    sync.Mutex
	run   *run // nil: it has not begun
	tally *tally.Tally
	state *live.State
	ended int64 // of the last request, on the run's clock

	finish chan struct{} // no more is to come
	cut    context.CancelFunc
	over   sync.WaitGroup
	report Report // after over
}

// Report is what became of the spans and metrics.
type Report struct {
	Sent, Dropped, Failed, Rejected int // spans: taken, without room, not taken in time, and taken back
	Metrics                         int // messages that were taken
	Why                             string
}

// New begins to tell a collector of a run.
func New(c *Config, proxy func(*http.Request) (*url.URL, error)) *Exporter {
	e := &Exporter{
		flush: flushTime, queue: newQueue(maxWaiting),
		client: &client{Config: c, pause: pause, http: &http.Client{
			Transport:     &http.Transport{Proxy: proxy, MaxIdleConns: 2, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}},
		finish: make(chan struct{}),
	}
	ctx, cut := context.WithCancel(context.Background())
	e.cut = cut
	e.over.Go(func() { e.loop(ctx) })
	return e
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Try sends nothing but the question whether somebody takes it. An error is no reason not to
// begin: a collector may come later.
func (e *Exporter) Try(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	body, err := encode(&traces.TracesData{})
	if err == nil {
		_, _, err = e.client.post(ctx, pathTraces, body)
	}
	return err
}

// Started: the load begins. first is its journal's first line.
func (e *Exporter) Started(folder string, first *journal.Run) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.run, e.tally, e.ended = newRun(folder, first), tally.New(first, bounds), 0
}

// Elsewhere says that requests end on other machines: Ended is called when all is over, and
// may take its time.
func (e *Exporter) Elsewhere() { e.queue.wait(true) }

// Hurry says that there is no more time for what does not fit.
func (e *Exporter) Hurry() { e.queue.wait(false) }

// See takes in a state of the run.
func (e *Exporter) See(s *live.State) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = s
}

// Ended takes in a request, and keeps nothing of its record.
func (e *Exporter) Ended(q *journal.Request) {
	e.mu.Lock()
	r, sums := e.run, e.tally
	e.mu.Unlock()
	if r == nil || q.Warmup {
		return
	}
	sums.Add(q)
	if q.Outcome.Missing() {
		return // nothing is known of it: it has no times
	}
	c := r.newCall(q)
	e.mu.Lock()
	e.ended = max(e.ended, c.end)
	e.mu.Unlock()
	e.queue.put(&c)
}

func (e *Exporter) loop(ctx context.Context) {
	spans, sums := time.NewTicker(spansEvery), time.NewTicker(metricsEvery)
	defer spans.Stop()
	defer sums.Stop()
	for {
		select {
		case <-e.queue.more:
			e.sendSpans(ctx)
		case <-spans.C:
			e.sendSpans(ctx)
		case <-sums.C:
			e.sendMetrics(ctx)
		case <-e.finish:
			e.sendSpans(ctx)
			e.sendRoot(ctx)
			e.sendMetrics(ctx)
			return
		}
	}
}

// sendSpans sends all that wait.
func (e *Exporter) sendSpans(ctx context.Context) {
	for {
		some := e.queue.take()
		if len(some) == 0 {
			return
		}
		if ctx.Err() != nil { // the time is over
			e.report.Failed += len(some)
			e.because("there was no more time for them")
			continue
		}
		e.mu.Lock()
		r := e.run
		e.mu.Unlock()
		list := make([]*traces.Span, len(some))
		for i := range some {
			list[i] = r.span(&some[i])
		}
		e.sendList(ctx, list)
	}
}

func (e *Exporter) sendList(ctx context.Context, list []*traces.Span) {
	lost, err := e.client.send(ctx, pathTraces, e.client.tracesData(list))
	if err != nil {
		e.report.Failed += len(list)
		e.because(err.Error())
		return
	}
	n := min(int(min(lost.count, int64(len(list)))), len(list))
	e.report.Rejected += n
	e.report.Sent += len(list) - n
	if n > 0 {
		e.because("it rejects them: " + lost.words)
	}
}

// because keeps the first reason.
func (e *Exporter) because(why string) {
	if e.report.Why == "" {
		e.report.Why = why
	}
}

func (e *Exporter) sendRoot(ctx context.Context) {
	e.mu.Lock()
	r, end, sums := e.run, e.ended, e.tally
	e.mu.Unlock()
	if r == nil {
		return
	}
	all := uint64(0)
	for _, n := range sums.Sums().Outcomes {
		all += n
	}
	e.sendList(ctx, []*traces.Span{r.root(end, all)})
}

func (e *Exporter) sendMetrics(ctx context.Context) {
	e.mu.Lock()
	r, sums, state := e.run, e.tally, e.state
	e.mu.Unlock()
	if r == nil {
		return
	}
	if _, err := e.client.send(ctx, pathMetrics, e.client.metricsData(r, sums.Sums(), state, time.Now())); err != nil {
		e.because("metrics: " + err.Error())
		return
	}
	e.report.Metrics++
}

// Finish sends what waits, for some seconds at most, and ends the exporter.
func (e *Exporter) Finish(ctx context.Context) Report {
	close(e.finish)
	timer := time.AfterFunc(e.flush, e.cut)
	defer timer.Stop()
	stop := context.AfterFunc(ctx, e.cut)
	defer stop()
	e.over.Wait()
	e.cut()
	e.client.http.CloseIdleConnections()
	e.report.Dropped = e.queue.dropped
	return e.report
}
