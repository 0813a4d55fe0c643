package dialect

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
	PathTranscriptions = "/v1/audio/transcriptions"
	PathTranslations   = "/v1/audio/translations"
	// soundPrompt is how many tokens the prompt of a sound has, as Whisper's.
	soundPrompt = 4
)

// ReadSound reads the form of an uploaded sound, and how many bytes it has. What is said about it depends on them.
func ReadSound(r *http.Request) (c *Call, size int, err error) {
	f, _, err := r.FormFile("file")
	if err != nil {
		return nil, 0, errors.New("the form has no file")
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, 0, err
	}
	yes := func(name string) bool { return strings.EqualFold(r.FormValue(name), "true") }
	c = &Call{
		Model: r.FormValue("model"), Chat: true, Stream: yes("stream"), Usage: yes("stream_include_usage"), IgnoreEOS: yes("ignore_eos"), Logprobs: -1,
		Dialect: OpenAISound, object: "transcription.chunk", idPrefix: "trsc-",
	}
	c.UsageAlways = c.Usage && yes("stream_continuous_usage_stats")
	if r.URL.Path == PathTranslations {
		c.object, c.idPrefix = "translation.chunk", "trsl-"
	}
	if text := r.FormValue("max_completion_tokens"); text != "" {
		if c.MaxTokens, err = strconv.Atoi(text); err != nil || c.MaxTokens < 1 {
			return nil, len(data), fmt.Errorf("max_completion_tokens must be a number from 1 on, not %.20q", text)
		}
	}
	hash := random.HashString(string(data))
	for i := range soundPrompt {
		c.Prompt = append(c.Prompt, int32(random.Mix(hash, uint64(i))%1000))
	}
	return c, len(data), nil
}
