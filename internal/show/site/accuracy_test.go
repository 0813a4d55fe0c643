package site

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// TestAccuracyIsShown: the index has its column where a run was asked questions, and the
// series its history; elsewhere there is no such column.
func TestAccuracyIsShown(t *testing.T) {
	if text := body(t, get(t, newSite(folder()).Handler(true), "GET", "/")); strings.Contains(text, "accuracy") {
		t.Error("runs without questions have an accuracy")
	}
	files := fstest.MapFS{}
	for i := range 12 {
		right := 0.8123
		if i >= 6 {
			right = 0.6123
		}
		own := fmt.Sprintf(`, "inferometer": {"schema": 1, "numbers": {"accuracy": %g, "no_answer_share": 0.01}}}`, right+float64(i%3)/1000)
		files[fmt.Sprintf("%02d/out.json", i)] = &fstest.MapFile{Data: append(bytes.TrimSuffix(resultJSON(i, 1000, "m"), []byte("}")), own...)}
	}
	h := newSite(files).Handler(true)
	text := body(t, get(t, h, "GET", "/"))
	heads := text[strings.Index(text, "<thead>"):strings.Index(text, "</thead>")]
	line := text[strings.Index(text, "<tbody>"):strings.Index(text, "</tbody>")]
	if !strings.Contains(heads, ">accuracy<") || strings.Count(heads, "<th ") != strings.Count(line, "<th ")+strings.Count(line, "<td") || !strings.Contains(line, "0.614") {
		t.Errorf("%s\n%s", heads, line)
	}
	if !strings.Contains(line, "accuracy -2") || !strings.Contains(line, "bad changed") {
		t.Errorf("the fall is not seen: %s", line)
	}
	series := link.FindStringSubmatch(line)[1]
	if text := body(t, get(t, h, "GET", "/"+series)); strings.Count(text, "accuracy") < 3 {
		t.Error("the series does not draw it")
	}
}
