package protocol

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
)

// Anonymous is a body, in parts, without what two servers are told differently though they are
// sent the same workload: the model's name, a limit that older servers want said twice, and what Dynamo is to tell.
// The hash of a workload is over that, or no two quantisations would ever have one hash.
func Anonymous(p Protocol, c *Call, body []byte) [][]byte {
	parts := cutModel(p, c, body)
	if c.OldLimit {
		parts = cutField(parts, "max_tokens", strconv.Itoa(c.MaxTokens))
	}
	if c.Nvext { // it stands behind that
		parts = cutField(parts, nvextField, nvextAsked)
	}
	return parts
}

// cutField cuts a field behind the prompt out of a body, unless the user has set it to something else: it is the workload's then.
func cutField(parts [][]byte, name, value string) [][]byte {
	field := []byte(`, "` + name + `": ` + value)
	last := parts[len(parts)-1]
	at := bytes.LastIndex(last, field) // behind the messages, which may be long
	if end := at + len(field); at < 0 || end < len(last) && last[end] != ',' && last[end] != '}' {
		return parts
	}
	return append(parts[:len(parts)-1], last[:at], last[at+len(field):])
}

// cutModel cuts the model's name out of a body. Within a text of JSON each quote is escaped, so that the
// key with its value can only be the field itself.
func cutModel(p Protocol, c *Call, body []byte) [][]byte {
	if c.Model == "" {
		return [][]byte{body}
	}
	name, err := marshal(c.Model)
	if err != nil {
		return [][]byte{body}
	}
	const key = `"model": `
	if at := bytes.Index(body, append([]byte(key), name...)); at >= 0 {
		return [][]byte{body[:at+len(key)], body[at+len(key)+len(name):]}
	}
	if !bytes.Contains(body, name[1:len(name)-1]) && !bytes.Contains(body, []byte(c.Model)) { // with its quotes escaped, or as it is
		return [][]byte{body}
	}
	// A form, or a body of the user's own shape: it is made again, with no name in it.
	other := *c
	other.Model = ""
	if again, err := p.AppendBody(nil, &other); err == nil {
		return [][]byte{again}
	}
	return [][]byte{body}
}

// ModelInPath stands for the model's name in the path of an endpoint.
const ModelInPath = "{model}"

// FillPath puts the model's name into a path that has a place for it. It is one segment,
// whatever is in it.
func FillPath(path, model string) string {
	if !strings.Contains(path, ModelInPath) {
		return path
	}
	return strings.ReplaceAll(path, ModelInPath, url.PathEscape(model))
}
