package sim

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/sim/random"
)

const (
	pathTranscriptions = "/v1/audio/transcriptions"
	pathTranslations   = "/v1/audio/translations"
	// soundPrompt is how many tokens the prompt of a sound has, as Whisper's.
	soundPrompt = 4
	formMemory  = 32 << 20
)

// transcribe answers an upload of a sound with a stream of text, in vLLM's shape.
func (s *Server) transcribe(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	err := r.ParseMultipartForm(formMemory)
	rec, key := s.newRecord(w, r)
	if err != nil {
		s.refuse(w, rec, http.StatusBadRequest, fmt.Errorf("the form could not be read: %w", err))
		return
	}
	defer r.MultipartForm.RemoveAll() //nolint:errcheck // what is left is the system's to clean
	requestIsIn(w)
	c, err := s.soundCall(r, rec)
	if err == nil {
		err = s.fit(c)
	}
	if err != nil {
		s.refuse(w, rec, statusOf(err), err)
		return
	}
	s.generate(w, r, rec, key, c)
}

// soundCall reads the form. What is said about the sound depends on its bytes.
func (s *Server) soundCall(r *http.Request, rec *Record) (*call, error) {
	f, _, err := r.FormFile("file")
	if err != nil {
		return nil, errors.New("the form has no file")
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	rec.SoundBytes = len(data)
	yes := func(name string) bool { return strings.EqualFold(r.FormValue(name), "true") }
	c := &call{
		model: r.FormValue("model"), chat: true, stream: yes("stream"), usage: yes("stream_include_usage"), ignoreEOS: yes("ignore_eos"), logprobs: -1,
		dialect: openAISound, object: "transcription.chunk", idPrefix: "trsc-",
	}
	c.usageAlways = c.usage && yes("stream_continuous_usage_stats")
	if r.URL.Path == pathTranslations {
		c.object, c.idPrefix = "translation.chunk", "trsl-"
	}
	if text := r.FormValue("max_completion_tokens"); text != "" {
		if c.maxTokens, err = strconv.Atoi(text); err != nil || c.maxTokens < 1 {
			return nil, fmt.Errorf("max_completion_tokens must be a number from 1 on, not %.20q", text)
		}
	}
	hash := random.HashString(string(data))
	for i := range soundPrompt {
		c.prompt = append(c.prompt, int32(random.Mix(hash, uint64(i))%1000))
	}
	return c, nil
}

func statusOf(err error) int {
	if errors.Is(err, errNoModel) {
		return http.StatusNotFound
	}
	if errors.As(err, new(invalid)) {
		return http.StatusUnprocessableEntity
	}
	return http.StatusBadRequest
}
