// Package markup writes HTML. What is not ours goes through Put, Each, Link or JSON, which
// escape it; there is no template, so that the linker can leave out what no page needs.
package markup

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"
)

// HTML is a page on its way. WriteString takes markup of ours as it is.
type HTML struct{ strings.Builder }

// Put writes markup of ours with texts at its %s, in elements or in quoted attributes.
func (h *HTML) Put(format string, texts ...string) {
	escaped := make([]any, len(texts))
	for i, t := range texts {
		escaped[i] = html.EscapeString(t)
	}
	fmt.Fprintf(h, format, escaped...)
}

// Each writes the same markup around each text of a list.
func (h *HTML) Each(format string, texts []string) {
	for _, t := range texts {
		h.Put(format, t)
	}
}

// Link writes text that may lead elsewhere: to a path, never to a scheme of someone else's.
func (h *HTML) Link(text, link string) {
	first, _, _ := strings.Cut(link, "/")
	if link == "" || strings.Contains(first, ":") {
		h.Put("%s", text)
		return
	}
	h.Put(`<a href="%s">%s</a>`, link, text)
}

// JSON writes data for the page's script. encoding/json escapes what would end it.
func (h *HTML) JSON(id string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	h.Put(`<script type="application/json" id="%s">`, id)
	h.Write(data)
	h.WriteString("</script>\n")
	return nil
}
