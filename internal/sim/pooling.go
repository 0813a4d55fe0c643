package sim

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/sim/random"
)

// The paths whose answers are vectors or scores, as vLLM and Infinity have them.
var poolingPaths = []string{pathEmbeddings, "/embeddings", "/pooling", "/rerank", "/v1/rerank", "/v2/rerank"}

// pooledBody is the part of such a request that the sim heeds.
type pooledBody struct {
	Input     json.RawMessage `json:"input"`
	Messages  []message       `json:"messages"`
	Query     string          `json:"query"`
	Documents []string        `json:"documents"`
}

// pooled answers after one TTFT of the fixed engine's distribution, in either engine:
// there is nothing to decode.
func (s *Server) pooled(w http.ResponseWriter, r *http.Request) {
	raw, err := readBody(w, r)
	rec, key := s.newRecord(w, r)
	var b pooledBody
	if err == nil {
		requestIsIn(w)
		err = json.Unmarshal(raw, &b)
	}
	var inputs [][]int32
	if err == nil {
		inputs, err = b.tokens(s.tokenizer, strings.HasSuffix(r.URL.Path, "rerank"))
	}
	if err != nil {
		s.refuse(w, rec, http.StatusBadRequest, err)
		return
	}
	rec.Inputs, rec.Media = len(inputs), mediaParts(b.Messages)
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
	if !s.pause(r, time.Duration(s.changes.Wait(int64(time.Since(s.base)), s.cfg.TTFT.Draw(random.NewRand(key))))) {
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

// tokens are the ids of each input. Of documents to rank each is read with the query.
func (b *pooledBody) tokens(t Tokenizer, rank bool) ([][]int32, error) {
	switch {
	case rank && (b.Query == "" || len(b.Documents) == 0):
		return nil, errors.New("a query and documents are needed")
	case rank:
		var all [][]int32
		for _, d := range b.Documents {
			ids, err := t.Encode(b.Query + " " + d)
			if err != nil {
				return nil, err
			}
			all = append(all, ids)
		}
		return all, nil
	case len(b.Messages) > 0:
		ids, err := chatPrompt(b.Messages, t)
		return [][]int32{ids}, err
	}
	return embeddingInputs(b.Input, t)
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

// mediaParts counts the images, videos and sounds of messages.
func mediaParts(messages []message) int {
	n := 0
	for _, m := range messages {
		var parts []struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(m.Content, &parts) != nil {
			continue
		}
		for _, p := range parts {
			if p.Type != "text" {
				n++
			}
		}
	}
	return n
}

// embeddingInputs reads one text, a list of texts, or token ids.
func embeddingInputs(raw json.RawMessage, t Tokenizer) ([][]int32, error) {
	var texts []string
	if json.Unmarshal(raw, &texts) != nil {
		ids, err := promptTokens(raw, t)
		if err != nil {
			return nil, fmt.Errorf("input: %w", err)
		}
		return [][]int32{ids}, nil
	}
	var all [][]int32
	for _, text := range texts {
		ids, err := t.Encode(text)
		if err != nil {
			return nil, fmt.Errorf("input: %w", err)
		}
		all = append(all, ids)
	}
	return all, nil
}

// writeWhole writes an answer that is one JSON value, or the half of it.
func (s *Server) writeWhole(w http.ResponseWriter, r *http.Request, rec *Record, raw []byte, end ending) {
	rec.Status = http.StatusOK
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", fmt.Sprint(len(raw)))
	rec.Ended = time.Now().UnixNano()
	if end == endNormal {
		_, _ = w.Write(raw) // the client may have gone; nobody is left to tell
		return
	}
	s.cutOff(w, r, raw, end)
}
