package media

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"image"
	"image/jpeg"
	"io"
	"os"
	"testing"

	"github.com/inferometer/inferometer/internal/compat/numpy"
)

// Pictures of noise and of colour, encoded by Pillow: testdata/make_jpegs.py.
func TestJPEGIsPillows(t *testing.T) {
	raw, err := os.ReadFile("testdata/jpegs.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Pictures []struct {
			Kind          string
			Seed          uint64
			Width, Height int
			Pixels, JPEG  string // start of the SHA-256
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Pictures) < 10 {
		t.Fatal(len(file.Pictures), err)
	}
	for _, p := range file.Pictures {
		rgb := make([]byte, 3*p.Width*p.Height)
		g := numpy.NewGenerator(p.Seed)
		after := g.Clone()
		if p.Kind == "noise" {
			g.Bytes(rgb)
			after.SkipBytes(len(rgb))
			if g.Uint32() != after.Uint32() || g.Uint64() != after.Uint64() {
				t.Errorf("%d × %d: a skip does not end where the draws do", p.Width, p.Height)
			}
		} else {
			for i := range rgb {
				x, y, c := i/3%p.Width, i/3/p.Width, i%3
				rgb[i] = byte([3]int{x * 255 / max(p.Width-1, 1), y * 255 / max(p.Height-1, 1), (x * y) % 256}[c])
			}
		}
		if got := start(rgb); got != p.Pixels {
			t.Errorf("%s %d × %d: the pixels are others: %s, want %s", p.Kind, p.Width, p.Height, got, p.Pixels)
			continue
		}
		got := JPEG(rgb, p.Width, p.Height)
		if start(got) != p.JPEG {
			t.Errorf("%s %d × %d: the JPEG is not Pillow's", p.Kind, p.Width, p.Height)
		}
		c, err := jpeg.DecodeConfig(bytes.NewReader(got))
		if err != nil || c.Width != p.Width || c.Height != p.Height {
			t.Errorf("%s: %d × %d, want %d × %d: %v", p.Kind, c.Width, c.Height, p.Width, p.Height, err)
		}
	}
}

func start(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

func BenchmarkJPEG(b *testing.B) {
	rgb := make([]byte, 3*1280*720)
	numpy.NewGenerator(1).Bytes(rgb)
	b.SetBytes(int64(len(rgb)))
	for b.Loop() {
		JPEG(rgb, 1280, 720)
	}
}

// Go's own encoder, in the same run.
func BenchmarkImageJPEG(b *testing.B) {
	img := image.NewRGBA(image.Rect(0, 0, 1280, 720))
	numpy.NewGenerator(1).Bytes(img.Pix)
	b.SetBytes(3 * 1280 * 720)
	for b.Loop() {
		if err := jpeg.Encode(io.Discard, img, &jpeg.Options{Quality: 75}); err != nil {
			b.Fatal(err)
		}
	}
}
