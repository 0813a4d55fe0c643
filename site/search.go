package site

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// What mdBook writes around its index of words.
const (
	searchBegins = "window.search = Object.assign(window.search, JSON.parse('"
	searchEnds   = "'));"
)

// weight is how much a word says of a page; two digits decide the order as well as sixteen do.
var weight = regexp.MustCompile(`("tf":\d+\.\d\d)\d+`)

// ShrinkSearch takes out of a built site's index of words what no search needs. mdBook indexes every word of
// a page once more as part of the headings above it, which is half of the file.
func ShrinkSearch(book string) error {
	found, err := filepath.Glob(filepath.Join(book, "searchindex*.js"))
	if err != nil {
		return err
	}
	if len(found) != 1 {
		return fmt.Errorf("%s has %d indexes of words", book, len(found))
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		return err
	}
	small, err := shrink(text)
	if err != nil {
		return fmt.Errorf("%s: %w", found[0], err)
	}
	return os.WriteFile(found[0], small, 0o644)
}

func shrink(text []byte) ([]byte, error) {
	quoted, ok := bytes.CutPrefix(bytes.TrimSpace(text), []byte(searchBegins))
	quoted, closed := bytes.CutSuffix(quoted, []byte(searchEnds))
	if !ok || !closed {
		return nil, fmt.Errorf("it is not what mdBook 0.5 writes: %.60q", text)
	}
	unquoted := bytes.ReplaceAll(bytes.ReplaceAll(quoted, []byte(`\'`), []byte(`'`)), []byte(`\\`), []byte(`\`))
	var search searchIndex
	decoder := json.NewDecoder(bytes.NewReader(unquoted))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&search); err != nil {
		return nil, err
	}
	const headings = "breadcrumbs"
	delete(search.Options.Fields, headings)
	delete(search.Index.Words, headings)
	search.Index.Fields = slices.DeleteFunc(search.Index.Fields, func(name string) bool { return name == headings })
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(search); err != nil {
		return nil, err
	}
	small := weight.ReplaceAll(bytes.TrimSpace(out.Bytes()), []byte("$1"))
	// A branch of the tree of words that ends no word says so in 17 bytes, and a search goes through it without them.
	small = bytes.ReplaceAll(small, []byte(`"docs":{},"df":0,`), nil)
	small = bytes.ReplaceAll(bytes.ReplaceAll(small, []byte(`\`), []byte(`\\`)), []byte(`'`), []byte(`\'`))
	return slices.Concat([]byte(searchBegins), small, []byte(searchEnds)), nil
}

// searchIndex is mdBook's file as far as it is changed here.
type searchIndex struct {
	Results json.RawMessage `json:"results_options"`
	Options struct {
		Bool   json.RawMessage            `json:"bool"`
		Expand json.RawMessage            `json:"expand"`
		Fields map[string]json.RawMessage `json:"fields"`
	} `json:"search_options"`
	URLs  json.RawMessage `json:"doc_urls"`
	Index struct {
		Fields   []string                   `json:"fields"`
		Pipeline json.RawMessage            `json:"pipeline"`
		Ref      json.RawMessage            `json:"ref"`
		Version  json.RawMessage            `json:"version"`
		Words    map[string]json.RawMessage `json:"index"`
		Pages    json.RawMessage            `json:"documentStore"`
		Lang     json.RawMessage            `json:"lang"`
	} `json:"index"`
}
