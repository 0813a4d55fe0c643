package trace

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/trace/tree"
	"github.com/inferometer/inferometer/internal/send/trace/treefile"
)

// Format is a kind of file.
type Format struct {
	Name string
	Doc  string // one sentence, with the unit of its times and the size of its blocks
	// Timed says that rows have times.
	Timed bool
	// History says that each prompt of a session begins with the one before it.
	History bool
	// Sessions says that rows may tell which session they belong to.
	Sessions bool
	// Continued says that a session may go on in the next file.
	Continued bool

	looks func(head []byte) bool // tells a file by its first bytes
	open  func(in *input) (rows, error)
	// tree reads a tree. In a format without open its input is a JSON value, of which a file may have several; find
	// finds these, and nil takes each object that is not in another. With open it is the lines of one session, and nil
	// makes a chain of their rows. Or trees does all of it. Rows of a format without open are the turns of its trees.
	find  func(in *input, found func(place) error) error
	tree  func(in *input, o TreeOptions) (*tree.Tree, error)
	trees func(t *Trace, o TreeOptions) (Trees, error)
}

// rows gives the rows of one file; io.EOF after the last.
type rows interface{ next(*Row) error }

// formats is the one place where a format is registered, but for those of package treefile. A file is the first one
// that it looks like.
var formats = option.NewTable("trace format", func(f *Format) string { return f.Name },
	append(fileFormats(), azure, burstGPT, vidur, dynamo, recorded, bailian, mooncake, weka, agentic)...)

// fileFormats are those of package treefile.
func fileFormats() (list []*Format) {
	for _, f := range treefile.Formats {
		list = append(list, &Format{
			Name: f.Name, Doc: f.Doc, Timed: f.Timed, looks: f.Looks,
			trees: func(t *Trace, o TreeOptions) (Trees, error) {
				all, err := f.Open(t.Files, unpacked, o.Split)
				if err != nil {
					return nil, err
				}
				return all, nil
			},
		})
	}
	return list
}

// OfTrees says that a file holds trees, each with times of its own; else it holds rows.
func (f *Format) OfTrees() bool { return f.open == nil }

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
