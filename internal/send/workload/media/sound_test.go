package media

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

type soundFile struct {
	Sounds []struct {
		Kind        string
		Given, Sent []byte
		Seconds     float64
	}
	FLAC        []byte
	FLACSeconds float64 `json:"flac_seconds"`
}

func readSounds(t testing.TB) *soundFile {
	t.Helper()
	raw, err := os.ReadFile("testdata/sounds.json")
	if err != nil {
		t.Fatal(err)
	}
	var file soundFile
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Sounds) < 20 {
		t.Fatal(len(file.Sounds), err)
	}
	return &file
}

// A WAV file of any encoding becomes the bytes that vLLM's client sends: testdata/make_sounds.py.
func TestSoundsAreVLLMs(t *testing.T) {
	file := readSounds(t)
	for _, s := range file.Sounds {
		got, err := NewSound("x.wav", s.Given)
		if err != nil {
			t.Errorf("%s: %v", s.Kind, err)
			continue
		}
		if !bytes.Equal(got.Data, s.Sent) || math.Abs(got.Length.Seconds()-s.Seconds) > 1e-8 || got.Name != "audio.wav" || got.Type != "audio/wav" {
			t.Errorf("%s: %s of %d bytes, %v; want %d bytes, %v s", s.Kind, got.Name, len(got.Data), got.Length, len(s.Sent), s.Seconds)
		}
	}
	flac, err := NewSound("a.flac", file.FLAC)
	if err != nil || flac.Name != "a.flac" || !bytes.Equal(flac.Data, file.FLAC) || math.Abs(flac.Length.Seconds()-file.FLACSeconds) > 1e-8 {
		t.Errorf("FLAC: %v, %v", flac, err)
	}
	if mp3, err := NewSound("a.mp3", []byte("ID3\x04\x00")); err != nil || mp3.Length != -1 || mp3.Format != "mp3" {
		t.Errorf("MP3: %v, %v", mp3, err)
	}
	for _, bad := range []string{"", "hello", "RIFF", "RIFF\x00\x00\x00\x00WAVE", "RIFF\x00\x00\x00\x00WAVEdata\xff\xff\xff\xff", "RIFF\x00\x00\x00\x00WAVEfmt \x02\x00\x00\x00\x01\x00"} {
		if s, err := NewSound("x", []byte(bad)); err == nil {
			t.Errorf("%q is taken for %v", bad, s)
		}
	}
}

func FuzzSound(f *testing.F) {
	file := readSounds(f)
	for _, s := range file.Sounds {
		f.Add(s.Given)
	}
	f.Add(file.FLAC)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := NewSound("x", data)
		if err == nil && len(s.Data) > 44+2*len(data) {
			t.Errorf("%d bytes became %d", len(data), len(s.Data))
		}
	})
}

func FuzzBuckets(f *testing.F) {
	for _, seed := range []string{"{(256, 256, 1): 0.5, (720, 1280, 16): 0.1}", `{"(1,2,3)": 1}`, "{}", "{(1,1,1):nan}", "{(1,1,99999999999):1}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b Buckets
		if b.UnmarshalText([]byte(text)) != nil {
			return
		}
		again, err := b.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var c Buckets
		if err := c.UnmarshalText(again); err != nil || len(c) != len(b) {
			t.Errorf("%q becomes %q, which is not read: %v", text, again, err)
		}
	})
}

const png = "\x89PNG\r\n\x1a\n0000"

// What a dataset names is read only if it is an image in a regular file of a sane size.
func TestImagesOfFiles(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for name, text := range map[string]string{"a.png": png, "b c.png": png, "secret.txt": "root:x:0:0:"} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	large, err := os.Create(at("large.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Truncate(maxImage + 1); err != nil {
		t.Fatal(err)
	}
	large.Close()
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", at("link")); err != nil {
		t.Fatal(err)
	}
	embed, refer := &Images{Embed: true}, &Images{}
	const want = `"data:image/png;base64,iVBORw0KGgowMDAw"`
	for _, image := range []string{at("a.png"), "file://" + at("a.png"), "file://" + strings.ReplaceAll(at("b c.png"), " ", "%20"), at("b c.png")} {
		if got, err := embed.URL(image); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v", image, got, err)
		}
	}
	for _, image := range []string{at("none"), at("secret.txt"), at("large.png"), at("pipe"), at("link"), folder, "/proc/self/mem"} {
		if got, err := embed.URL(image); err == nil {
			t.Errorf("%s is embedded as %.60s", image, got)
		}
		if got, err := refer.URL(image); err != nil || string(got) != `"file://`+image+`"` {
			t.Errorf("%s is sent as %s, %v", image, got, err)
		}
	}
	if got, _ := embed.URL("data:image/png;base64,AAAA"); string(got) != `"data:image/png;base64,AAAA"` {
		t.Errorf("a data URL becomes %s", got)
	}
}

// A URL is fetched once, and only where the images are to be embedded.
func TestImagesByURL(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path != "/a.png" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(png))
	}))
	defer s.Close()
	refer, embed := &Images{}, &Images{Embed: true}
	if got, err := refer.URL(s.URL + "/a.png"); err != nil || asked != 0 || !strings.Contains(string(got), "/a.png") {
		t.Errorf("%s, %v, asked %d times", got, err, asked)
	}
	for range 3 {
		if got, err := embed.URL(s.URL + "/a.png"); err != nil || !strings.HasPrefix(string(got), `"data:image/png;`) {
			t.Errorf("%s, %v", got, err)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	if _, err := embed.URL(s.URL + "/none.png"); err == nil {
		t.Error("a 404 is an image")
	}
}
