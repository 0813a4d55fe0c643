// Package media makes what requests hold beside text: images, videos and sounds, drawn or
// read from files.
package media

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"time"
)

// Sound is a file that is uploaded to be transcribed or translated.
type Sound struct {
	Name   string // without a path
	Type   string // its media type; empty: not said
	Format string // as chat completions name it: wav
	Data   []byte
	Length time.Duration // -1: not known
}

// Part is the sound as a part of a chat message.
func (s *Sound) Part() json.RawMessage { return SoundPart(s.Format, s.Data) }

// NewSound takes a sound's file. A WAV file becomes one of 16 bits, as vLLM's client
// writes each sound (libsndfile's roundings included). Others are sent as they are: they
// would have to be decoded.
func NewSound(name string, data []byte) (*Sound, error) {
	switch {
	case bytes.HasPrefix(data, []byte("RIFF")) || bytes.HasPrefix(data, []byte("RF64")):
		w, err := readWAV(data)
		if err != nil {
			return nil, err
		}
		return w.sound(), nil
	case bytes.HasPrefix(data, []byte("fLaC")):
		return &Sound{Name: name, Type: "audio/flac", Format: "flac", Data: data, Length: flacLength(data)}, nil
	case bytes.HasPrefix(data, []byte("OggS")):
		return &Sound{Name: name, Type: "audio/ogg", Format: "ogg", Data: data, Length: -1}, nil
	case bytes.HasPrefix(data, []byte("ID3")) || len(data) > 2 && data[0] == 0xff && data[1]&0xe0 == 0xe0:
		return &Sound{Name: name, Type: "audio/mpeg", Format: "mp3", Data: data, Length: -1}, nil
	}
	return nil, errNoSound
}

// sample16 is libsndfile's conversion with clipping: 32 bits, of which the upper half is taken.
func sample16(v float64) int16 {
	scaled := v * (1 << 31)
	switch {
	case scaled >= math.MaxInt32:
		return math.MaxInt16
	case scaled <= math.MinInt32:
		return math.MinInt16
	case scaled != scaled:
		return 0
	}
	return int16(int32(math.RoundToEven(scaled)) >> 16)
}

// flacLength reads the length from the first block of a FLAC file, which must be STREAMINFO.
func flacLength(data []byte) time.Duration {
	if len(data) < 8+18 || data[4]&0x7f != 0 {
		return -1
	}
	packed := binary.BigEndian.Uint64(data[8+10:])
	rate, samples := packed>>44, packed&(1<<36-1)
	if rate == 0 || samples == 0 {
		return -1
	}
	return seconds(float64(samples) / float64(rate))
}

func seconds(s float64) time.Duration { return time.Duration(math.Round(s * float64(time.Second))) }
