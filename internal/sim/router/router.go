package router

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// Router is a handler; end it with Close.
type Router struct {
	cfg      Config
	replicas []*replica
	model    dialect.Model // by which prompts are read
	client   *http.Client
	truth    *truthLog
	mux      *http.ServeMux
	turn     atomic.Uint64
	requests atomic.Uint64
	retries  atomic.Uint64

	mu  sync.Mutex
	rng *rand.Rand

	ctx  context.Context // ends with Close
	stop context.CancelFunc
	work sync.WaitGroup
}

// New makes a router and begins to look at its replicas' health. The truth is written to truth, unless that is nil.
func New(cfg Config, truth io.Writer) (*Router, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	if cfg.Tokenizer == nil {
		cfg.Tokenizer = vocab.NewWordTokenizer()
	}
	rt := &Router{
		cfg: cfg, truth: &truthLog{w: truth}, rng: random.NewRand(cfg.Seed),
		model: dialect.Model{Tokenizer: cfg.Tokenizer, MaxLen: 1 << 30, DefaultMaxTokens: 1},
		client: &http.Client{
			Transport:     &http.Transport{DialContext: cfg.Dial, MaxIdleConnsPerHost: 1 << 10, IdleConnTimeout: time.Minute, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	rt.ctx, rt.stop = context.WithCancel(context.Background())
	for i, r := range cfg.Replicas {
		rt.replicas = append(rt.replicas, newReplica(r, i, &cfg))
	}
	rt.routes()
	var first sync.WaitGroup // what is known of the replicas is known before the first request
	for _, p := range rt.replicas {
		first.Add(1)
		rt.work.Go(func() {
			rt.look(p)
			first.Done()
			rt.watch(p)
		})
	}
	first.Wait()
	return rt, nil
}

// Serve answers on l until ctx ends; what runs then is cut off.
func (rt *Router) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: rt, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: maxHeaderTime, IdleTimeout: idleTime}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	var err error
	select {
	case <-ctx.Done():
		_ = server.Close()
		<-ended
	case err = <-ended:
	}
	rt.Close()
	return errors.Join(err, rt.truth.err)
}

const (
	maxHeaderTime = 30 * time.Second
	idleTime      = 10 * time.Minute
)

// Close ends what is in progress and the watch over the replicas.
func (rt *Router) Close() {
	rt.stop()
	rt.work.Wait()
	rt.client.CloseIdleConnections()
}

func (rt *Router) routes() {
	rt.mux = http.NewServeMux()
	paths := slices.Concat(dialect.PoolingPaths, []string{dialect.PathTranscriptions, dialect.PathTranslations})
	for _, d := range dialect.All {
		paths = append(paths, d.Paths...)
	}
	for _, path := range paths {
		rt.mux.HandleFunc("POST "+path, rt.route)
	}
	for _, path := range []string{"/reset_prefix_cache", "/flush_cache"} {
		rt.mux.HandleFunc("POST "+path, rt.flush)
	}
	rt.mux.HandleFunc("GET /workers", rt.workers)
	rt.mux.HandleFunc("GET /metrics", rt.metrics)
	rt.mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		if !slices.ContainsFunc(rt.replicas, (*replica).healthy) {
			fail(w, http.StatusServiceUnavailable, errNone)
		}
	})
	rt.mux.HandleFunc("/", rt.pass)
}

// errNone: there is nobody to send a request to.
var errNone = errors.New("no replica is up")

// ServeHTTP implements http.Handler.
func (rt *Router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rt.work.Add(1)
	defer rt.work.Done()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(rt.ctx, cancel)()
	rt.mux.ServeHTTP(w, r.WithContext(ctx))
}

// pass asks some replica for what is no work: the list of models, a version, tokens.
func (rt *Router) pass(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		fail(w, http.StatusBadRequest, fmt.Errorf("the body could not be read: %w", err))
		return
	}
	for _, p := range rt.replicas {
		if !p.healthy() {
			continue
		}
		resp, err := rt.send(r.Context(), p, r, body)
		if err != nil {
			continue
		}
		copyHeader(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
		resp.Body.Close()
		return
	}
	fail(w, http.StatusServiceUnavailable, errNone)
}

// flush empties every replica's cache, and what the router believes of them.
func (rt *Router) flush(w http.ResponseWriter, r *http.Request) {
	status := http.StatusOK
	for _, p := range rt.replicas {
		resp, err := rt.send(r.Context(), p, r, nil)
		if err != nil {
			status = http.StatusBadGateway
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			status = http.StatusBadGateway
			continue
		}
		cache, _ := p.memory()
		cache.Reset()
	}
	w.WriteHeader(status)
}

// workers lists the replicas in smg's shape.
func (rt *Router) workers(w http.ResponseWriter, _ *http.Request) {
	type worker struct {
		ID      string `json:"id"`
		URL     string `json:"url"`
		Type    string `json:"worker_type"`
		Role    string `json:"role,omitempty"`
		Healthy bool   `json:"is_healthy"`
		Load    int64  `json:"load"`
	}
	list := []worker{}
	for _, p := range rt.replicas {
		kind := p.Role
		if kind == RoleBoth {
			kind = "regular"
		}
		list = append(list, worker{p.URL, p.URL, kind, p.Role, p.healthy(), p.active.Load()})
	}
	writeJSON(w, http.StatusOK, map[string]any{"workers": list, "total": len(list)})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may have gone
}

func fail(w http.ResponseWriter, status int, err error) {
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": err.Error(), "type": "router_error", "code": status}})
}
