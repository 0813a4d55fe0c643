package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/handoff"
	"github.com/inferometer/inferometer/internal/sim/vocab"
)

// Version is what /version tells.
const Version = "sim"

// Handler is the whole API. Streams leave the server that calls it, so Close
// must be called in the end whichever server that is.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, d := range dialect.All {
		for _, path := range d.Paths {
			mux.HandleFunc("POST "+path, s.working(s.complete))
		}
	}
	for _, path := range dialect.PoolingPaths {
		mux.HandleFunc("POST "+path, s.working(s.pooled))
	}
	mux.HandleFunc("POST "+dialect.PathTranscriptions, s.working(s.transcribe))
	mux.HandleFunc("POST "+dialect.PathTranslations, s.working(s.transcribe))
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("POST /tokenize", s.tokenize)
	mux.HandleFunc("POST /detokenize", s.detokenize)
	mux.HandleFunc("GET /tokenizer_info", func(w http.ResponseWriter, _ *http.Request) { // vLLM's, by which lm-eval knows that it may ask
		writeJSON(w, http.StatusOK, map[string]any{"tokenizer_class": "inferometer-sim", "bos_token": nil, "eos_token": nil, "chat_template": nil})
	})
	mux.HandleFunc("GET /metrics", s.showMetrics)
	mux.HandleFunc("GET /health", s.health)
	mux.HandleFunc("GET /is_sleeping", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]bool{"is_sleeping": s.sleepState() != "awake"})
	})
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"version": Version})
	})
	reset := func(http.ResponseWriter, *http.Request) int {
		s.engine.ResetPrefixCache()
		return http.StatusOK
	}
	for path, do := range map[string]func(http.ResponseWriter, *http.Request) int{
		"/reset_prefix_cache": reset, "/flush_cache": reset, // vLLM's, SGLang's
		"/sleep": s.sleep, "/wake_up": s.wakeUp,
		"/v1/load_lora_adapter": s.loadAdapter, "/load_lora_adapter": s.loadAdapter,
		"/v1/unload_lora_adapter": s.unloadAdapter, "/unload_lora_adapter": s.unloadAdapter,
	} {
		mux.HandleFunc("POST "+path, s.control(do))
	}
	if s.cfg.Role == handoff.Prefill {
		mux.Handle("GET "+handoff.Path, s.transfers.shelf)
	}
	if s.cfg.Profiler {
		mux.HandleFunc("POST /start_profile", func(http.ResponseWriter, *http.Request) {})
		mux.HandleFunc("POST /stop_profile", func(http.ResponseWriter, *http.Request) {})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			writeError(w, http.StatusServiceUnavailable, errors.New("the server is stopping"))
			return
		}
		defer s.active.Done()
		if s.cfg.Name != "" {
			w.Header().Set(ReplicaHeader, s.cfg.Name)
		}
		if s.cfg.APIKey != "" && r.URL.Path != "/health" && !s.hasKey(r) {
			writeJSON(w, http.StatusUnauthorized, dialect.Of(r.URL.Path).FailureOf()(http.StatusUnauthorized, dialect.Wording("Unauthorized")))
			return
		}
		if r.Method != http.MethodPost && r.URL.Path != "/metrics" && s.starting() {
			writeError(w, http.StatusServiceUnavailable, errStarting)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	model := map[string]any{
		"id": s.cfg.Model, "object": "model", "created": s.base.Unix(), "owned_by": s.cfg.OwnedBy,
		"root": s.cfg.Root, "parent": nil, "max_model_len": s.cfg.MaxModelLen,
	}
	if t, builtIn := s.tokenizer.(*vocab.WordTokenizer); builtIn { // as llama.cpp tells it
		model["meta"] = map[string]any{"n_vocab": len(t.Pieces)}
	}
	list := []any{model}
	for _, name := range s.adapters() {
		list = append(list, map[string]any{
			"id": name, "object": "model", "created": s.base.Unix(), "owned_by": s.cfg.OwnedBy, "root": name, "parent": s.cfg.Model,
		})
	}
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": list})
}

// tokenize answers in vLLM's shape, for a prompt or for messages.
func (s *Server) tokenize(w http.ResponseWriter, r *http.Request) {
	var b struct {
		Prompt   json.RawMessage   `json:"prompt"`
		Messages []dialect.Message `json:"messages"`
	}
	if !readJSON(w, r, &b) {
		return
	}
	ids, err := []int32(nil), error(nil)
	if len(b.Messages) > 0 {
		ids, err = dialect.ChatPrompt(b.Messages, s.tokenizer)
	} else {
		var text string
		if err = json.Unmarshal(b.Prompt, &text); err == nil {
			ids, err = s.tokenizer.Encode(text)
		}
	}
	if err != nil {
		writeError(w, http.StatusBadRequest, fmt.Errorf("prompt must be a string, or messages be given: %w", err))
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"count": len(ids), "max_model_len": s.cfg.MaxModelLen, "tokens": append([]int32{}, ids...), "token_strs": nil,
	})
}

func (s *Server) detokenize(w http.ResponseWriter, r *http.Request) {
	var b struct {
		Tokens []int32 `json:"tokens"`
	}
	if !readJSON(w, r, &b) {
		return
	}
	text, err := s.tokenizer.Decode(b.Tokens)
	if err != nil {
		writeError(w, http.StatusBadRequest, err)
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"prompt": text})
}

// refuse answers with an error and ends the record.
func (s *Server) refuse(w http.ResponseWriter, rec *Record, status int, err error) {
	rec.Status = status
	rec.Ended = clock.Now().UnixNano()
	d := rec.dialect
	if d == nil {
		d = dialect.Of(rec.Path)
	}
	writeJSON(w, status, d.FailureOf()(status, err))
	s.endRecord(rec, nil)
}

// hasKey says whether a request carries the key, in one of the two ways that clients have.
func (s *Server) hasKey(r *http.Request) bool {
	return r.Header.Get("Authorization") == "Bearer "+s.cfg.APIKey || r.Header.Get("X-Api-Key") == s.cfg.APIKey
}

func readJSON(w http.ResponseWriter, r *http.Request, into any) bool {
	raw, err := readBody(w, r)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		writeError(w, http.StatusBadRequest, fmt.Errorf("the body is not the JSON of a request: %w", err))
	}
	return err == nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // the client may have gone; nobody is left to tell
}

func writeError(w http.ResponseWriter, status int, err error) {
	writeJSON(w, status, dialect.OpenAIFailure(status, err))
}
