package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
	"github.com/inferometer/inferometer/internal/ordered"
	"github.com/inferometer/inferometer/internal/send/protocol/stream"
)

var openAIAudio = &Backend{
	Name: "openai-audio", Doc: "transcriptions or translations", Sounds: true, OtherSuffix: "translations", Protocol: audio{chat},
}

// audio is OpenAI's /v1/audio/transcriptions, and /v1/audio/translations, as vLLM's
// client calls them: a form with a file, answered by a stream of the events of chat.
type audio struct{ chat Protocol }

func (audio) Path() string   { return "/v1/audio/transcriptions" }
func (audio) Suffix() string { return "transcriptions" }

func (a audio) Events() stream.EventReader { return a.chat.Events() }

// boundary stands between the parts of a form. It is the same for all requests, so that
// the same workload has the same bytes.
const boundary = "inferometer-5f0c1de94b7a42d8a6e31b9c70d2f864"

func (audio) ContentType() string { return "multipart/form-data; boundary=" + boundary }

func (audio) AppendBody(dst []byte, c *Call) ([]byte, error) {
	if c.Sound == nil {
		return nil, errors.New("a sound is needed: use the dataset custom_audio, or one of hf's with sounds")
	}
	if bytes.Contains(c.Sound.Data, []byte(boundary)) {
		return nil, fmt.Errorf("%s can't be sent: it holds the words that end a part of the form", c.Sound.Name)
	}
	f := &form{dst: dst}
	f.file("file", c.Sound)
	b := newBody(ordered.Object{
		{"model", c.Model},
		{"max_completion_tokens", c.MaxTokens},
		{"stream", true},
		{"language", "en"},
		{"stream_include_usage", true},
		{"stream_continuous_usage_stats", true},
	})
	b.finish(c)
	for _, m := range b.Object {
		raw, err := marshal(m.Value)
		if err != nil {
			return nil, err
		}
		words, err := pyjson.StrJSON(raw) // each value as Python's str() writes it: True, not true
		if err != nil {
			return nil, fmt.Errorf("the field %q: %w", m.Key, err)
		}
		f.field(m.Key, words)
	}
	return append(f.dst, "--"+boundary+"--\r\n"...), nil
}

// form writes the parts of a form as aiohttp does.
type form struct{ dst []byte }

func (f *form) part(kind, name, rest string, data []byte) {
	f.dst = append(f.dst, "--"+boundary+"\r\n"...)
	if kind != "" {
		f.dst = append(f.dst, "Content-Type: "+kind+"\r\n"...)
	}
	f.dst = append(f.dst, `Content-Disposition: form-data; name="`+quoted(name)+`"`+rest+"\r\n\r\n"...)
	f.dst = append(append(f.dst, data...), "\r\n"...)
}

func (f *form) file(name string, file *File) {
	f.part(file.Type, name, `; filename="`+quoted(file.Name)+`"`, file.Data)
}

func (f *form) field(name, words string) {
	f.part("text/plain; charset=utf-8", name, "", []byte(words))
}

// quoted keeps a name inside its quotes, and on its line. Servers look at no more of a
// file's name than its end.
func quoted(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-[]", r) {
			return r
		}
		return '_'
	}, name)
}
