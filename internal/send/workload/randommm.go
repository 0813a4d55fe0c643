package workload

import (
	"encoding/json"
	"io"
	"math"

	"github.com/inferometer/inferometer/internal/compat/numpy"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/lengths"
	"github.com/inferometer/inferometer/internal/send/workload/media"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

var randomMM = NewKind(Kind{
	Name: "random-mm", Doc: "Prompts of exact token lengths, with images or videos of noise.", IgnoreEOS: true, Holds: Images,
	SharedKeys: []string{keyMultimodalChat},
}, openRandomMM)

// RandomMMOptions shape the dataset random-mm.
type RandomMMOptions struct {
	InputLen   int                `json:"input_len" flag:"random-input-len" common:"true" follows:"input-len" default:"1024" min:"0" help:"tokens of a prompt."`
	OutputLen  int                `json:"output_len" flag:"random-output-len" common:"true" follows:"output-len" default:"128" min:"1" help:"tokens to generate."`
	PrefixLen  int                `json:"prefix_len" flag:"random-prefix-len" follows:"prefix-len" default:"0" min:"0" help:"tokens that all prompts begin with, besides the input length."`
	RangeRatio lengths.RangeRatio `json:"range_ratio" flag:"random-range-ratio" default:"0" metavar:"X" help:"lengths vary by this share up and down, from 0 to below 1."`
	Items      int                `json:"base_items_per_request" flag:"random-mm-base-items-per-request" default:"1" min:"0" max:"10000" help:"images and videos in a request."`
	ItemsRatio float64            `json:"num_mm_items_range_ratio" flag:"random-mm-num-mm-items-range-ratio" default:"0" min:"0" max:"1" help:"their number varies by this share up and down; 1 allows none."`
	Limits     media.Limits       `json:"limit_mm_per_prompt" flag:"random-mm-limit-mm-per-prompt" default:"{\"image\": 255, \"video\": 1}" metavar:"JSON" help:"at most so many of each kind in a request."`
	Buckets    media.Buckets      `json:"bucket_config" flag:"random-mm-bucket-config" default:"{(256, 256, 1): 0.5, (720, 1280, 1): 0.5, (720, 1280, 16): 0}" metavar:"SIZES" help:"sizes as (height, width, frames), each with its probability. One frame is an image, more are a video."`
}

func (o *RandomMMOptions) text() *RandomOptions {
	return &RandomOptions{InputLen: o.InputLen, OutputLen: o.OutputLen, PrefixLen: o.PrefixLen, RangeRatio: o.RangeRatio}
}

// Check implements [option.Checker].
func (o *RandomMMOptions) Check() error {
	if err := o.text().Check(); err != nil {
		return err
	}
	if err := o.Buckets.Check(); err != nil {
		return option.Errorf("bucket_config", "%s", err.Error())
	}
	for _, b := range o.Buckets {
		if o.Limits.Of(b) < 0 {
			return option.Errorf("limit_mm_per_prompt", "says nothing of a kind that %s has", option.Ref("bucket_config"))
		}
	}
	if low, high := o.counts(); low > high {
		return option.Errorf("limit_mm_per_prompt", "allows %d items, and a request has %d at least", high, low)
	}
	return nil
}

// counts are the fewest and the most items of a request.
func (o *RandomMMOptions) counts() (low, high int) {
	images, videos := 0, 0
	for _, b := range o.Buckets.Likely() {
		if b.IsVideo() {
			videos = o.Limits.Video
		} else {
			images = o.Limits.Image
		}
	}
	low = max(0, int(math.Floor(float64(o.Items)*(1-o.ItemsRatio))))
	return low, min(images+videos, int(math.Ceil(float64(o.Items)*(1+o.ItemsRatio))))
}

// mmDataset adds images to random prompts. All is drawn from one stream, in vLLM's
// order: a prompt's missing tokens, how many items it has, and for each its size and
// then its pixels. So the draws are made one after the other, and only what is costly
// about an image, to encode it, is done by several goroutines.
type mmDataset struct {
	*randomDataset
	own       *RandomMMOptions
	sizes     media.Buckets
	low, high int
	requests  *prompts.Ahead[*mmRequest]
}

// mmRequest is a request on its way.
type mmRequest struct {
	*Request
	items []mmItem
	err   error
}

// mmItem is an image or a video, and where its pixels begin in the stream.
type mmItem struct {
	media.Bucket
	from *numpy.Generator
}

func openRandomMM(o Options, own *RandomMMOptions) (Dataset, error) {
	return newRandomMM(o, own, o.Seed, +1)
}

// marked are special tokens of all kinds: a placeholder of an image in the text would
// be taken for an image.
func marked(v prompts.Vocabulary) []int32 {
	if m, ok := v.(interface{ MarkedSpecialIDs() []int32 }); ok {
		return m.MarkedSpecialIDs()
	}
	return v.SpecialIDs()
}

func newRandomMM(o Options, own *RandomMMOptions, seed uint64, direction int) (*mmDataset, error) {
	special, vocab := vocabularyOf(o.Tokenizer)
	text := own.text()
	lengths, err := newRandomLengths(o.NumPrompts, text, seed, special, vocab)
	if err != nil {
		return nil, err
	}
	d := &mmDataset{own: own, sizes: own.Buckets.Likely()}
	d.low, d.high = own.counts()
	if d.randomDataset, err = newRandomOf(o, text, lengths, direction, marked); err != nil {
		return nil, err
	}
	d.requests = prompts.NewAhead(1, d.planItems, d.encode)
	d.requests.Window = max(2, min(d.requests.Window, aheadMedia/d.mostBytes()))
	return d, nil
}

// aheadMedia bounds the images that lie ready, in bytes.
const aheadMedia = 64 << 20

// mostBytes is about how large a request may be: noise takes some 0.8 bytes a pixel.
func (d *mmDataset) mostBytes() int {
	largest := 0
	for _, b := range d.sizes {
		largest = max(largest, b.Bytes()/3)
	}
	return max(1, d.high*largest*4/5)
}

// planItems draws the next prompt and its items.
func (d *mmDataset) planItems() (*mmRequest, bool) {
	r, err := d.randomDataset.Next()
	if err != nil {
		return &mmRequest{err: err}, err != io.EOF
	}
	g := d.lengths.rest
	m := &mmRequest{Request: r}
	sizes, left := append(media.Buckets(nil), d.sizes...), d.own.Limits
	for n := int(g.Integers(int64(d.low), int64(d.high)+1)); len(m.items) < n && len(sizes) > 0; {
		b := sizes[g.Choice(weights(sizes))]
		if left.Of(b) == 0 { // this kind has reached its limit; the others share its probability
			for i := range sizes {
				if sizes[i].IsVideo() == b.IsVideo() {
					sizes[i].Weight = 0
				}
			}
			sizes = sizes.Likely()
			continue
		}
		if b.IsVideo() {
			left.Video--
		} else {
			left.Image--
		}
		m.items = append(m.items, mmItem{b, g.Clone()})
		g.SkipBytes(b.Bytes())
	}
	return m, true
}

func weights(sizes media.Buckets) []float64 {
	w := make([]float64, len(sizes))
	for i := range sizes {
		w[i] = sizes[i].Weight
	}
	return w
}

// encode makes the parts of the message.
func (d *mmDataset) encode(m *mmRequest) {
	for _, item := range m.items {
		m.Media = append(m.Media, item.part())
	}
	m.items = nil
	if d.opts.MultimodalChat {
		m.Messages = chatMessage(m.Prompt, m.Media)
	}
}

func (i *mmItem) part() json.RawMessage {
	pixels := make([]byte, i.Bytes())
	i.from.Bytes(pixels)
	if i.IsVideo() {
		return media.Part("video_url", "video/mp4", media.Video(pixels, i.Width, i.Height, i.Frames))
	}
	return media.Part("image_url", "image/jpeg", media.JPEG(pixels, i.Width, i.Height))
}

// chatMessage is the message of --enable-multimodal-chat: its text has its keys in another order.
func chatMessage(text string, parts []json.RawMessage) json.RawMessage {
	quoted, _ := json.Marshal(text) // a text always marshals
	list := append([]byte(`[{"role":"user","content":[{"text":`), quoted...)
	list = append(list, `,"type":"text"}`...)
	for _, p := range parts {
		list = append(append(list, ','), p...)
	}
	return append(list, "]}]"...)
}

// Next implements Source.
func (d *mmDataset) Next() (*Request, error) {
	m, ok := d.requests.Next()
	if !ok {
		return nil, io.EOF
	}
	if m.err != nil {
		return nil, m.err
	}
	return m.Request, nil
}

func (d *mmDataset) start() { d.requests.Start() }

// Close implements Dataset. The prompts end first: who plans the requests waits for them.
func (d *mmDataset) Close() error {
	err := d.randomDataset.Close()
	d.requests.Stop()
	return err
}

// Warmups implements Dataset.
func (d *mmDataset) Warmups(n int) ([]*Request, error) {
	if n <= 0 {
		return nil, nil
	}
	o := d.opts
	o.NumPrompts = n
	w, err := newRandomMM(o, d.own, warmSeed(o.Seed), -1)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return take(w, n)
}
