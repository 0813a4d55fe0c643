package media

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/inferometer/inferometer/internal/outside"
)

// What a dataset may make us read.
const (
	maxImage   = 64 << 20
	maxSound   = 256 << 20
	maxFetched = 512 << 20 // images by URL, all together
	fetchTime  = 30 * time.Second
)

// readFile reads a file of the user's that a dataset names. A device, a pipe or a folder
// is none, whatever the path's links lead to.
func readFile(path string, most int64) ([]byte, error) {
	// A pipe would wait for a writer without O_NONBLOCK.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return readAll(f, path, most)
}

func readAll(r io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(data)) > most {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, most>>20)
	}
	return data, nil
}

// Images turns what a dataset says of images into parts of a message.
type Images struct {
	// Embed reads files and URLs here and sends their bytes; else the server is sent the
	// reference alone.
	Embed bool
	// Find says where a file lies that is named here, or that it is not to be read, and
	// nothing is fetched; nil: all are read.
	Find func(name string) (path string, err error)
	// fetched are the images by URL: they are asked for once, before the load.
	fetched map[string]json.RawMessage
	size    int
}

// isReference says whether a text is a URL already; else it is a path.
func isReference(s string) bool {
	for _, scheme := range []string{"http://", "https://", "file://", "data:image/"} {
		if strings.HasPrefix(s, scheme) {
			return true
		}
	}
	return false
}

// URL is the image's URL as it is sent, in JSON.
func (m *Images) URL(image string) (json.RawMessage, error) {
	reference := image
	if !isReference(reference) {
		reference = "file://" + image
	}
	if !m.Embed || strings.HasPrefix(reference, "data:image/") {
		return quote(reference)
	}
	if path, ok := strings.CutPrefix(reference, "file://"); ok {
		if isReference(image) { // a URL may have escapes, a path has none
			unescaped, err := url.PathUnescape(path)
			if err != nil {
				return nil, fmt.Errorf("%q is no file URL: %w", image, err)
			}
			path = unescaped
			if drive, ok := strings.CutPrefix(path, "/"); ok && filepath.VolumeName(drive) != "" { // file:///C:/image.png
				path = drive
			}
		}
		return m.read(path)
	}
	if m.Find != nil {
		return nil, fmt.Errorf("%s is an address, and for somebody else's run nothing is fetched: download the image, and name its file", outside.Word(reference))
	}
	if known, ok := m.fetched[reference]; ok {
		return known, nil
	}
	return m.fetch(reference)
}

func (m *Images) read(path string) (json.RawMessage, error) {
	path, err := found(path, m.Find)
	if err != nil {
		return nil, err
	}
	data, err := readFile(path, maxImage)
	if err != nil {
		return nil, err
	}
	return dataURL(path, data)
}

// found is a file's place, if somebody looks at it.
func found(path string, find func(string) (string, error)) (string, error) {
	if find == nil {
		return path, nil
	}
	return find(path)
}

func (m *Images) fetch(reference string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), fetchTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, reference, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", reference, resp.Status)
	}
	data, err := readAll(resp.Body, reference, maxImage)
	if err != nil {
		return nil, err
	}
	u, err := dataURL(reference, data)
	if err != nil {
		return nil, err
	}
	if m.size += len(u); m.size > maxFetched {
		return nil, fmt.Errorf("the images by URL take more than %d MiB: download them, and name the files", maxFetched>>20)
	}
	if m.fetched == nil {
		m.fetched = map[string]json.RawMessage{}
	}
	m.fetched[reference] = u
	return u, nil
}

// dataURL holds an image's own bytes. What is no image is not sent to anybody.
func dataURL(name string, data []byte) (json.RawMessage, error) {
	kind := http.DetectContentType(data)
	if !strings.HasPrefix(kind, "image/") {
		return nil, fmt.Errorf("%s is no image that is known here (it looks like %s)", name, kind)
	}
	head := `"data:` + kind + `;base64,`
	b := make([]byte, 0, len(head)+base64.StdEncoding.EncodedLen(len(data))+1)
	return append(base64.StdEncoding.AppendEncode(append(b, head...), data), '"'), nil
}

func quote(s string) (json.RawMessage, error) { return json.Marshal(s) }

// OpenSound reads a sound of the user's that a dataset names. find is as that of Images.
func OpenSound(path string, find func(name string) (string, error)) (*Sound, error) {
	path, err := found(path, find)
	if err != nil {
		return nil, err
	}
	data, err := readFile(path, maxSound)
	if err != nil {
		return nil, err
	}
	s, err := NewSound(filepath.Base(path), data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

var errNoSound = errors.New("no sound that is known here: WAV, FLAC, MP3 and Ogg are")
