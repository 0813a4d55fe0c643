package workload

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/jsonscan"
	"github.com/inferometer/inferometer/internal/send/workload/media"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/tokenizer"
)

var customImage = NewKind(Kind{
	Name: "custom_image", Doc: "Lines of JSON with a prompt and its images.", File: true, AllOfFile: true, Holds: Images,
	SharedKeys: []string{keyNoOversample, keyDisableShuffle, keyMultimodalChat},
}, openCustomImage)

// CustomImageOptions shape the dataset custom_image.
type CustomImageOptions struct {
	CustomOptions
	Embed bool `json:"ensure_client_side_data" flag:"custom-ensure-client-side-data" help:"read images here and send their bytes; else the server gets paths and URLs."`
}

// imageEntries reads lines of {"prompt": …, "image_files": […]} or {"content": […]}.
type imageEntries struct {
	customEntries
	images *media.Images
	chat   bool
}

func openCustomImage(o Options, own *CustomImageOptions) (Dataset, error) {
	entries := &imageEntries{customEntries{tok: o.Tokenizer, outputLen: own.OutputLen}, &media.Images{Embed: own.Embed, Find: o.media()}, o.MultimodalChat}
	return openLines(o, entries)
}

// openLines opens a file with an entry on each line.
func openLines(o Options, entries entryReader) (Dataset, error) {
	c, err := openCorpus(o.Path, indexLines)
	if err != nil {
		return nil, err
	}
	n := o.NumPrompts
	if n <= 0 {
		n = len(c.spans)
	}
	d, err := newFileDataset(c, entries, o, n)
	if err != nil {
		c.file.Close()
		return nil, err
	}
	return d, nil
}

type imageLine struct {
	Prompt       *string         `json:"prompt"`
	Files        []string        `json:"image_files"`
	Content      json.RawMessage `json:"content"`
	OutputTokens json.RawMessage `json:"output_tokens"`
}

// parse reads a line. Its parts are those of its content, if it has one.
func (e *imageEntries) parse(raw []byte) (line imageLine, parts []contentPart, err error) {
	if err := json.Unmarshal(raw, &line); err != nil {
		return line, nil, fmt.Errorf("each line must be a JSON object with a prompt and image_files, or with content: %w", err)
	}
	switch {
	case line.Content != nil:
		parts, err = parseContent(line.Content)
	case line.Prompt == nil || len(line.Files) == 0:
		err = errors.New("it needs a prompt and a list image_files, or content")
	}
	return line, parts, err
}

// request implements entryReader. It looks at the images too, so that a file that is not
// there is found before the load.
func (e *imageEntries) request(raw []byte) (*Request, error) {
	line, _, err := e.parse(raw)
	if err != nil {
		return nil, err
	}
	return e.mediaRequest(e, raw, line.OutputTokens)
}

// mediaRequest makes a request of a line that also asks for a number of tokens.
func (c *customEntries) mediaRequest(e interface {
	entryReader
	mediaReader
}, raw []byte, asked json.RawMessage,
) (*Request, error) {
	r := &Request{}
	var err error
	if r.Prompt, err = e.prompt(raw); err != nil {
		return nil, err
	}
	if err := e.fill(raw, r, ""); err != nil {
		return nil, err
	}
	if r.OutputTokens, err = c.outputTokens(asked); err != nil {
		return nil, err
	}
	if c.tok != nil {
		r.PromptTokens, err = prompts.CountTokens(c.tok, r.Prompt)
	}
	return r, err
}

// prompt implements entryReader: all text of the line.
func (e *imageEntries) prompt(raw []byte) (string, error) {
	line, parts, err := e.parse(raw)
	if err != nil || line.Content == nil {
		if err == nil {
			return *line.Prompt, nil
		}
		return "", err
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String(), nil
}

// fill implements mediaReader.
func (e *imageEntries) fill(raw []byte, r *Request, mark string) error {
	line, parts, err := e.parse(raw)
	if err != nil {
		return err
	}
	if line.Content != nil {
		return e.fillContent(parts, r, mark)
	}
	for _, file := range line.Files {
		u, err := e.images.URL(file)
		if err != nil {
			return err
		}
		r.Media = append(r.Media, imagePart(u, nil))
	}
	if e.chat {
		r.Messages = chatMessage(r.Prompt, r.Media)
	}
	return nil
}

// fillContent makes one message of texts and images in the order of the line.
func (e *imageEntries) fillContent(parts []contentPart, r *Request, mark string) error {
	list := []byte(`[{"role":"user","content":[`)
	if mark != "" {
		parts = append([]contentPart{{Text: mark}}, parts...)
	}
	for i, p := range parts {
		if i > 0 {
			list = append(list, ',')
		}
		if p.Image == "" {
			text, err := json.Marshal(p.Text)
			if err != nil {
				return err
			}
			list = append(append(append(list, `{"type":"text","text":`...), text...), '}')
			continue
		}
		u, err := e.images.URL(p.Image)
		if err != nil {
			return err
		}
		part := imagePart(u, p.More)
		r.Media, list = append(r.Media, part), append(list, part...)
	}
	r.Messages = append(list, "]}]"...)
	return nil
}

// imagePart is a part of a message; more are further fields beside the URL.
func imagePart(u json.RawMessage, more []byte) json.RawMessage {
	b := make([]byte, 0, len(u)+len(more)+50)
	b = append(append(b, `{"type":"image_url","image_url":{"url":`...), u...)
	return append(append(b, more...), "}}"...)
}

// contentPart is a text, or an image.
type contentPart struct {
	Text  string
	Image string // a path or a URL
	More  []byte // further fields of image_url, each with a comma before it
}

// maxParts bounds the parts of one line.
const maxParts = 10_000

// parseContent reads a list of texts and images.
func parseContent(raw json.RawMessage) ([]contentPart, error) {
	var list []struct {
		Type     string
		Text     *string
		Image    *string
		ImageURL json.RawMessage `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 || len(list) > maxParts {
		return nil, errors.New("content must be a list of texts and images")
	}
	parts := make([]contentPart, len(list))
	for i, p := range list {
		switch {
		case p.Type == "text" && p.Text != nil:
			parts[i].Text = *p.Text
		case p.Type == "image" && p.Image != nil && *p.Image != "":
			parts[i].Image = *p.Image
		case p.Type == "image_url":
			if err := parts[i].readURL(p.ImageURL); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("a part of content must be a text, an image or an image_url, with a field of that name; it is %.40q", p.Type)
		}
	}
	return parts, nil
}

// readURL reads a text, or an object with a url and further fields.
func (p *contentPart) readURL(raw json.RawMessage) error {
	bad := errors.New("image_url must be a text, or an object with a url")
	if json.Unmarshal(raw, &p.Image) == nil && p.Image != "" {
		return nil
	}
	err := jsonscan.Fields(raw, func(name, value []byte) {
		if string(name) == "url" {
			_ = json.Unmarshal(value, &p.Image) // what is no text is found below
			return
		}
		key, _ := json.Marshal(string(name)) // a text always marshals
		p.More = append(append(append(append(p.More, ','), key...), ':'), value...)
	})
	if err != nil || p.Image == "" {
		return bad
	}
	return nil
}

var customAudio = NewKind(Kind{
	Name: "custom_audio", Doc: "Lines of JSON with a sound's file, and a prompt where wanted.", File: true, AllOfFile: true, Holds: Sounds,
	SharedKeys: []string{keyNoOversample, keyDisableShuffle, keyMultimodalChat, keyChatTemplateDate},
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
	return e.mediaRequest(e, raw, line.OutputTokens)
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
