package workload

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/tokenizer"

	"github.com/inferometer/inferometer/internal/send/workload/media"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

var customAudio = NewKind(Kind{
	Name: "custom_audio", Doc: "Lines of JSON with a sound's file, and a prompt where wanted.", File: true, AllOfFile: true, Holds: Sounds,
	Listens: []string{keyNoOversample, keyDisableShuffle, keyMultimodalChat, keyChatTemplateDate},
}, openCustomAudio)

// CustomAudioOptions shape the dataset custom_audio.
type CustomAudioOptions struct{ CustomOptions }

// audioEntries reads lines of {"audio": …, "prompt": …}.
type audioEntries struct {
	customEntries
	part bool // sounds are parts of messages; else they are uploaded
	find func(name string) (string, error)
}

func openCustomAudio(o Options, own *CustomAudioOptions) (Dataset, error) {
	part := o.MultimodalChat || o.Chat
	template := o.Tokenizer != nil && !part // as in vLLM, where it only says how long the prompt would be
	return openLines(o, &audioEntries{customEntries{tok: o.Tokenizer, template: template, outputLen: own.OutputLen}, part, o.media()})
}

type audioLine struct {
	Prompt       string          `json:"prompt"`
	Audio        *string         `json:"audio"`
	OutputTokens json.RawMessage `json:"output_tokens"`
}

func parseAudioLine(raw []byte) (line audioLine, err error) {
	if err := json.Unmarshal(raw, &line); err != nil {
		return line, fmt.Errorf("each line must be a JSON object with the path of a sound as audio, and perhaps a prompt: %w", err)
	}
	if line.Audio == nil || *line.Audio == "" {
		return line, errors.New("it has no audio")
	}
	return line, nil
}

// request implements entryReader. The sound is read too, so that one that is not there is
// found before the load.
func (e *audioEntries) request(raw []byte) (*Request, error) {
	line, err := parseAudioLine(raw)
	if err != nil {
		return nil, err
	}
	r := &Request{}
	if r.Prompt, err = e.prompt(raw); err != nil {
		return nil, err
	}
	if err := e.fill(raw, r, ""); err != nil {
		return nil, err
	}
	if r.OutputTokens, err = e.outputTokens(line.OutputTokens); err != nil {
		return nil, err
	}
	if e.tok != nil {
		r.PromptTokens, err = prompts.CountTokens(e.tok, r.Prompt)
	}
	return r, err
}

// prompt implements entryReader.
func (e *audioEntries) prompt(raw []byte) (string, error) {
	line, err := parseAudioLine(raw)
	if err != nil || !e.template {
		return line.Prompt, err
	}
	text, err := prompts.AsChat(e.tok, line.Prompt)
	if _, can := e.tok.(prompts.ChatTemplate); !can || errors.Is(err, tokenizer.ErrNoChatTemplate) {
		return line.Prompt, nil
	}
	return text, err
}

// fill implements mediaReader.
func (e *audioEntries) fill(raw []byte, r *Request, _ string) error {
	line, err := parseAudioLine(raw)
	if err != nil {
		return err
	}
	sound, err := media.OpenSound(*line.Audio, e.find)
	if err != nil {
		return err
	}
	if e.part {
		r.Media = []json.RawMessage{sound.Part()}
	} else {
		r.Sound = sound
	}
	return nil
}
