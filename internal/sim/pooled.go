package sim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/clock"
	"github.com/inferometer/inferometer/internal/sim/dialect"
	"github.com/inferometer/inferometer/internal/sim/random"
)

// pooled answers after one TTFT of the fixed engine's distribution, in either engine:
// there is nothing to decode.
func (s *Server) pooled(w http.ResponseWriter, r *http.Request) {
	raw, err := readBody(w, r)
	rec, key := s.newRecord(w, r)
	var inputs [][]int32
	if err == nil {
		requestIsIn(w)
		inputs, rec.Media, err = dialect.ReadPooled(&s.model, r.URL.Path, raw)
	}
	if err != nil {
		s.refuse(w, rec, http.StatusBadRequest, err)
		return
	}
	rec.Inputs = len(inputs)
	for _, ids := range inputs {
		rec.PromptTokens += len(ids)
	}
	fault := s.cfg.Faults.pick(key)
	switch fault {
	case FaultHTTP500, FaultHTTP429, FaultSlowHeaders, FaultTruncate, FaultReset, FaultEmpty:
		rec.Fault = fault
	}
	if s.failEarly(w, r, rec) {
		return
	}
	if fault == FaultEmpty {
		inputs = nil
	}
	answer, err := json.Marshal(s.pooledAnswer(r.URL.Path, rec, inputs))
	if err != nil {
		s.refuse(w, rec, http.StatusInternalServerError, err)
		return
	}
	if !s.pause(r, time.Duration(s.changes.Wait(int64(clock.Since(s.base)), s.cfg.TTFT.Draw(random.NewRand(key))))) {
		rec.Finish = "abort"
		s.endRecord(rec, nil)
		return
	}
	end := endNormal
	switch fault {
	case FaultTruncate:
		end = endClose
	case FaultReset:
		end = endReset
	}
	s.writeWhole(w, r, rec, answer, end)
	s.endRecord(rec, nil)
}

// pooledAnswer is the answer in vLLM's shape.
func (s *Server) pooledAnswer(path string, rec *Record, inputs [][]int32) map[string]any {
	usage := map[string]int{"prompt_tokens": rec.PromptTokens, "total_tokens": rec.PromptTokens}
	items := []map[string]any{}
	rank := strings.HasSuffix(path, "rerank")
	for i, ids := range inputs {
		key := random.HashTokens(s.cfg.Seed, ids)
		if rank {
			items = append(items, map[string]any{"index": i, "relevance_score": random.Unit(key)})
			continue
		}
		vector := make([]float64, s.cfg.EmbeddingSize)
		for k := range vector {
			vector[k] = 2*random.Unit(random.Mix(key, uint64(k))) - 1
		}
		if path == "/pooling" {
			items = append(items, map[string]any{"object": "pooling", "index": i, "data": vector})
		} else {
			items = append(items, map[string]any{"object": "embedding", "index": i, "embedding": vector})
		}
	}
	if rank {
		slices.SortStableFunc(items, func(a, b map[string]any) int {
			return cmp.Compare(b["relevance_score"].(float64), a["relevance_score"].(float64))
		})
		return map[string]any{"id": "score-" + rec.ID, "model": s.cfg.Model, "usage": usage, "results": items}
	}
	return map[string]any{"id": "embd-" + rec.ID, "object": "list", "model": s.cfg.Model, "data": items, "usage": usage}
}

// writeWhole writes an answer that is one JSON value, or the half of it.
func (s *Server) writeWhole(w http.ResponseWriter, r *http.Request, rec *Record, raw []byte, end ending) {
	rec.Status = http.StatusOK
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", fmt.Sprint(len(raw)))
	rec.Ended = clock.Now().UnixNano()
	if end == endNormal {
		_, _ = w.Write(raw) // the client may have gone; nobody is left to tell
		return
	}
	s.cutOff(w, r, raw, end)
}
