package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// wav is a sound of 16-bit samples.
type wav struct {
	channels, rate int
	samples        []int16
}

// The encodings of a WAV file.
const (
	wavPCM        = 1
	wavFloat      = 3
	wavExtensible = 0xfffe // the encoding stands in a longer header
)

var errCutWAV = errors.New("the WAV file ends too early")

// readWAV reads a file of whole numbers of 8, 16, 24 or 32 bits, or of floats.
func readWAV(data []byte) (*wav, error) {
	if len(data) < 12 || string(data[8:12]) != "WAVE" || string(data[:4]) != "RIFF" {
		return nil, errors.New("it is no WAV file that is known here")
	}
	w, encoding, bits := &wav{}, 0, 0
	for rest := data[12:]; len(rest) >= 8; {
		name, size := string(rest[:4]), uint64(binary.LittleEndian.Uint32(rest[4:]))
		body := rest[8:]
		whole := size <= uint64(len(body))
		if whole {
			body = body[:size]
		}
		switch name {
		case "fmt ":
			if !whole || len(body) < 16 {
				return nil, errCutWAV
			}
			encoding, w.channels = int(binary.LittleEndian.Uint16(body)), int(binary.LittleEndian.Uint16(body[2:]))
			w.rate, bits = int(binary.LittleEndian.Uint32(body[4:])), int(binary.LittleEndian.Uint16(body[14:]))
			if encoding == wavExtensible && len(body) >= 26 {
				encoding = int(binary.LittleEndian.Uint16(body[24:]))
			}
		case "data": // one that is cut off is read as far as it goes, as libsndfile does
			return w, w.decode(body, encoding, bits)
		}
		if !whole {
			return nil, errCutWAV
		}
		rest = rest[8+min(size+size%2, uint64(len(rest)-8)):]
	}
	return nil, errCutWAV
}

// decode turns the samples into 16 bits.
func (w *wav) decode(body []byte, encoding, bits int) error {
	if w.channels < 1 || w.channels > 1024 || w.rate < 1 {
		return fmt.Errorf("a WAV file with %d channels at %d Hz", w.channels, w.rate)
	}
	size := bits / 8
	var value func(b []byte) float64
	switch {
	case encoding == wavPCM && bits == 8:
		value = func(b []byte) float64 { return (float64(b[0]) - 128) / 128 }
	case encoding == wavPCM && bits == 16:
		value = func(b []byte) float64 { return float64(int16(binary.LittleEndian.Uint16(b))) / (1 << 15) }
	case encoding == wavPCM && bits == 24:
		value = func(b []byte) float64 {
			return float64(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)) / (1 << 31)
		}
	case encoding == wavPCM && bits == 32:
		value = func(b []byte) float64 { return float64(int32(binary.LittleEndian.Uint32(b))) / (1 << 31) }
	case encoding == wavFloat && bits == 32:
		value = func(b []byte) float64 { return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) }
	case encoding == wavFloat && bits == 64:
		value = func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }
	default:
		return fmt.Errorf("a WAV file of encoding %d with %d bits, which is not read here", encoding, bits)
	}
	n := len(body) / (size * w.channels) * w.channels
	w.samples = make([]int16, n)
	for i := range w.samples {
		w.samples[i] = sample16(value(body[i*size:]))
	}
	return nil
}

// sound writes the file as vLLM's client does: 44 bytes, and then the samples.
func (w *wav) sound() *Sound {
	size := 2 * len(w.samples)
	b := make([]byte, 0, 44+size)
	b = append(b, "RIFF"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(36+size))
	b = append(b, "WAVEfmt "...)
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, wavPCM)
	b = binary.LittleEndian.AppendUint16(b, uint16(w.channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(w.rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(w.rate*w.channels*2))
	b = binary.LittleEndian.AppendUint16(b, uint16(w.channels*2))
	b = binary.LittleEndian.AppendUint16(b, 16)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(size))
	for _, s := range w.samples {
		b = binary.LittleEndian.AppendUint16(b, uint16(s))
	}
	length := seconds(float64(len(w.samples)/w.channels) / float64(w.rate))
	return &Sound{Name: "audio.wav", Type: "audio/wav", Format: "wav", Data: b, Length: length}
}
