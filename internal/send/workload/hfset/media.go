package hfset

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/files/table"
)

// maxImage bounds an image.
const maxImage = 64 << 20

// imageParts make a message's part of an image: its own bytes, which vLLM would decode
// and write as JPEG again. None is no part.
func imageParts(image any, o *Options) ([]json.RawMessage, error) {
	if image == nil {
		return nil, nil
	}
	if s, ok := image.(string); ok && (strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "data:image/")) {
		part, err := address("image_url", s)
		return []json.RawMessage{part}, err
	}
	raw, err := imageBytes(image, o)
	if err != nil {
		return nil, err
	}
	kind := http.DetectContentType(raw)
	if !strings.HasPrefix(kind, "image/") {
		return nil, fmt.Errorf("its image is none: it looks like %s", kind)
	}
	part, err := address("image_url", "data:"+kind+";base64,"+base64.StdEncoding.EncodeToString(raw))
	return []json.RawMessage{part}, err
}

// imageBytes are those that lie in the row, or in a file beside it.
func imageBytes(image any, o *Options) ([]byte, error) {
	name, _ := image.(string)
	if parts, ok := image.(table.Object); ok {
		if raw, ok := table.Bytes(parts.Get("bytes")); ok && len(raw) > 0 {
			return raw, nil
		}
		name, _ = table.Text(parts.Get("path"))
	} else if raw, ok := image.([]byte); ok {
		return raw, nil
	}
	if name == "" {
		return nil, fmt.Errorf("its image has neither bytes nor a path")
	}
	return beside(o.Path, name)
}

// beside reads a file of the set's own folder. A row can't name one outside of it.
func beside(folder, name string) ([]byte, error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, fmt.Errorf("its image: %w", err)
	}
	defer f.Close()
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(f, maxImage+1))
	if err == nil && n > maxImage {
		err = fmt.Errorf("its image has more than %d MB", maxImage>>20)
	}
	return b.Bytes(), err
}

// videoPart names a video to the server, which must be able to read it.
func videoPart(url string) (json.RawMessage, error) {
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "file://") {
		url = "file://" + url
	}
	return address("video_url", url)
}

func address(kind, url string) (json.RawMessage, error) {
	b, err := json.Marshal(url)
	return json.RawMessage(`{"type": "` + kind + `", "` + kind + `": {"url": ` + string(b) + `}}`), err
}

// number reads a number, also where CSV has it as a text.
func number(v any) (float64, bool) {
	if s, ok := v.(string); ok {
		f, err := strconv.ParseFloat(s, 64)
		return f, err == nil
	}
	return table.Number(v)
}
