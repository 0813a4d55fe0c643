package trace

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
)

// Format is a kind of file.
type Format struct {
	Name string
	Doc  string // one sentence, with the unit of its times and the size of its blocks
	// Timed says that rows have times.
	Timed bool
	// History says that each prompt of a session begins with the one before it.
	History bool

	looks func(head []byte) bool // tells a file by its first bytes
	open  func(in *input) (rows, error)
}

// rows gives the rows of one file; io.EOF after the last.
type rows interface{ next(*Row) error }

// formats is the one place where a format is registered. A file is the first one that
// it looks like.
var formats = option.NewTable("trace format", func(f *Format) string { return f.Name }, azure, burstGPT, vidur, dynamo, recorded, bailian, mooncake, weka, agentic)

// Formats lists the formats.
func Formats() []*Format { return formats.All() }

// FormatNames are their names.
func FormatNames() []string { return formats.Names() }

// headSize is how much of a file is looked at to tell its format.
const headSize = 64 << 10

// detect finds the format of a file by its first bytes.
func detect(head []byte) (*Format, error) {
	for _, f := range formats.All() {
		if f.looks(head) {
			return f, nil
		}
	}
	return nil, fmt.Errorf("it does not look like any known kind of trace (%s)", strings.Join(FormatNames(), ", "))
}

// hasKeys says whether the first bytes of JSON have all of these keys.
func hasKeys(head []byte, keys ...string) bool {
	if h := bytes.TrimLeft(head, "\ufeff \t\r\n"); len(h) == 0 || h[0] != '{' {
		return false
	}
	for _, k := range keys {
		if !bytes.Contains(head, []byte(`"`+k+`"`)) {
			return false
		}
	}
	return true
}
