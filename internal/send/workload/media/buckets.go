package media

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
)

// Bucket is a size of images or videos, and how likely it is.
type Bucket struct {
	Height, Width, Frames int // one frame is an image, more are a video
	Weight                float64
}

// IsVideo says that it has more than one frame.
func (b Bucket) IsVideo() bool { return b.Frames > 1 }

// Bytes is how many numbers are drawn for it.
func (b Bucket) Bytes() int { return 3 * b.Height * b.Width * b.Frames }

// Buckets are the sizes that items may have, in the order in which they were given: the
// order decides what a draw means.
type Buckets []Bucket

const (
	maxBuckets = 1000
	maxSide    = 65535   // of a JPEG
	maxPixels  = 1 << 27 // of an item: a video of 145 frames of 720p
)

// UnmarshalText reads a dictionary as Python writes it, with (height, width, frames) as
// keys: {(256, 256, 1): 0.5, (720, 1280, 1): 0.5}.
func (b *Buckets) UnmarshalText(text []byte) error {
	parsed, err := parseBuckets(string(text))
	if err == nil {
		err = parsed.Check()
	}
	if err != nil {
		return err
	}
	*b = parsed
	return nil
}

func parseBuckets(text string) (Buckets, error) {
	bad := func(where string) error {
		return fmt.Errorf("needs sizes and probabilities, as in {(256, 256, 1): 0.5, (720, 1280, 1): 0.5}; it is not understood at %.20q", where)
	}
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	if rest, ok = cutSuffix(rest, "}", ok); !ok {
		return nil, bad(text)
	}
	var all Buckets
	for rest = strings.TrimSpace(rest); rest != ""; {
		key, after, found := strings.Cut(rest, ":")
		if !found || len(all) == maxBuckets {
			return nil, bad(rest)
		}
		value, more, _ := strings.Cut(after, ",")
		one, err := parseBucket(strings.Trim(strings.TrimSpace(key), `'"`))
		if err != nil {
			return nil, bad(rest)
		}
		if one.Weight, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil {
			return nil, bad(after)
		}
		all = all.set(one)
		rest = strings.TrimSpace(more)
	}
	return all, nil
}

func cutSuffix(s, suffix string, ok bool) (string, bool) {
	cut, found := strings.CutSuffix(s, suffix)
	return cut, ok && found
}

func parseBucket(key string) (b Bucket, err error) {
	inner, ok := strings.CutPrefix(key, "(")
	if inner, ok = cutSuffix(inner, ")", ok); !ok {
		return b, fmt.Errorf("no tuple: %q", key)
	}
	parts := strings.Split(inner, ",")
	if len(parts) != 3 {
		return b, fmt.Errorf("not three numbers: %q", key)
	}
	for i, to := range []*int{&b.Height, &b.Width, &b.Frames} {
		if *to, err = strconv.Atoi(strings.TrimSpace(parts[i])); err != nil {
			return b, err
		}
	}
	return b, nil
}

// set adds a size; one that is there takes the new weight in its old place, as in a dict.
func (b Buckets) set(one Bucket) Buckets {
	for i := range b {
		if b[i].Height == one.Height && b[i].Width == one.Width && b[i].Frames == one.Frames {
			b[i].Weight = one.Weight
			return b
		}
	}
	return append(b, one)
}

// Check says what is wrong with them.
func (b Buckets) Check() error {
	sum := 0.0
	for _, one := range b {
		switch {
		case one.Height < 1 || one.Width < 1 || one.Height > maxSide || one.Width > maxSide:
			return fmt.Errorf("has a size of %d × %d; a side must be from 1 to %d", one.Height, one.Width, maxSide)
		case one.Frames < 1 || one.Frames > maxPixels || one.Height*one.Width > maxPixels/one.Frames:
			return fmt.Errorf("has %d frames of %d × %d; at least one is needed, and at most %d pixels in all", one.Frames, one.Height, one.Width, maxPixels)
		case !(one.Weight >= 0) || math.IsInf(one.Weight, 0):
			return fmt.Errorf("has a probability of %v, which must be 0 or more", one.Weight)
		}
		sum += one.Weight
	}
	if sum == 0 || math.IsInf(sum, 0) {
		return fmt.Errorf("needs a size with a probability above 0")
	}
	return nil
}

// MarshalText writes what UnmarshalText reads.
func (b Buckets) MarshalText() ([]byte, error) {
	parts := make([]string, len(b))
	for i, one := range b {
		parts[i] = fmt.Sprintf("(%d, %d, %d): %s", one.Height, one.Width, one.Frames, option.FormatFloat(one.Weight))
	}
	return []byte("{" + strings.Join(parts, ", ") + "}"), nil
}

// JSONSchema implements [option.SchemaOf].
func (*Buckets) JSONSchema() map[string]any { return map[string]any{"type": "string"} }

// Likely are the sizes that can be drawn, with weights that add up to one.
func (b Buckets) Likely() Buckets {
	var some Buckets
	total := 0.0
	for _, one := range b {
		if one.Weight > 0 {
			some, total = append(some, one), total+one.Weight
		}
	}
	for i := range some {
		some[i].Weight /= total
	}
	return some
}

// Limits are how many items of each kind a request has at most; -1: the kind was not named.
type Limits struct{ Image, Video int }

// UnmarshalText reads {"image": 3, "video": 0}.
func (l *Limits) UnmarshalText(text []byte) error {
	var both struct{ Image, Video *int }
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&both); err != nil || d.More() {
		return fmt.Errorf(`needs numbers of images and videos, as in {"image": 3, "video": 0}, not %.60s`, text)
	}
	parsed := Limits{-1, -1}
	for _, one := range []struct{ from, to *int }{{both.Image, &parsed.Image}, {both.Video, &parsed.Video}} {
		if one.from == nil {
			continue
		}
		if *one.from < 0 || *one.from > maxItems {
			return fmt.Errorf("has %d; a limit must be from 0 to %d", *one.from, maxItems)
		}
		*one.to = *one.from
	}
	*l = parsed
	return nil
}

// maxItems bounds the images of a request.
const maxItems = 10_000

// MarshalText writes what UnmarshalText reads.
func (l Limits) MarshalText() ([]byte, error) {
	var parts []string
	for _, one := range []struct {
		name string
		n    int
	}{{"image", l.Image}, {"video", l.Video}} {
		if one.n >= 0 {
			parts = append(parts, fmt.Sprintf("%q: %d", one.name, one.n))
		}
	}
	return []byte("{" + strings.Join(parts, ", ") + "}"), nil
}

// JSONSchema implements [option.SchemaOf].
func (*Limits) JSONSchema() map[string]any {
	n := map[string]any{"type": "integer", "minimum": 0}
	return map[string]any{"anyOf": []any{map[string]any{"type": "string"}, map[string]any{
		"type": "object", "additionalProperties": false, "properties": map[string]any{"image": n, "video": n},
	}}}
}

// Of is the limit for a size.
func (l Limits) Of(b Bucket) int {
	if b.IsVideo() {
		return l.Video
	}
	return l.Image
}
