package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is a scenario file as nodes: with what it extends merged in, and
// variables of the environment put in.
type Document struct {
	File   string
	root   *yaml.Node
	files  map[*yaml.Node]string // where each value was written
	source *yaml.Node            // merged, before the environment: what may be written down
	errs   errorList             // of loading
}

// Source is what a scenario is made of.
type Source struct {
	File   string
	Set    []string                         // KEY.PATH=VALUE, which win over the file
	Lookup func(name string) (string, bool) // the environment
}

// Load reads a file and all that it extends.
func Load(s Source) (*Document, error) {
	d := &Document{File: s.File, files: map[*yaml.Node]string{}}
	var err error
	if d.root, err = d.read(s.File, nil); err != nil {
		return nil, err
	}
	for _, text := range s.Set {
		if err := d.set(text); err != nil {
			return nil, err
		}
	}
	d.source = d.clone(d.root)
	d.expand(d.root, s.Lookup, &d.errs)
	return d, d.errs.err()
}

// Text is the merged file, without values of the environment, which may be secrets,
// and without those that it holds itself.
func (d *Document) Text() ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	shown := d.clone(d.source)
	redact(shown, false)
	err := errors.Join(e.Encode(shown), e.Close())
	return b.Bytes(), err
}

// read reads one file and merges it over what it extends.
func (d *Document) read(file string, above []string) (*yaml.Node, error) {
	if slices.Contains(above, file) {
		return nil, fmt.Errorf("%s extends itself: %s", above[0], strings.Join(append(above, file), " → "))
	}
	content, err := readFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the scenario: %w", err)
	}
	root, err := parseYAML(file, content)
	if err != nil {
		return nil, err
	}
	if root = d.resolve(root, file); len(d.files) > maxNodes {
		return nil, d.errs.err()
	}
	if root.Kind != yaml.MappingNode {
		return nil, d.errorAt(root, "", "a scenario is keys and values, not %s", describe(root))
	}
	base := child(root, "extends")
	if base == nil {
		return root, nil
	}
	if base.Kind != yaml.ScalarNode || base.Value == "" {
		return nil, d.errorAt(base, "extends", "must be the path of a scenario, not %s", describe(base))
	}
	under, err := d.read(filepath.Join(filepath.Dir(file), base.Value), append(above, file))
	if err != nil {
		return nil, fmt.Errorf("%w\n%w", d.errorAt(base, "extends", "can't be read:"), err)
	}
	return d.merge(under, without(root, "extends")), nil
}

// maxFile is far beyond the largest scenario: a file that has no end is none.
const maxFile = 4 << 20

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(content) > maxFile {
		return nil, fmt.Errorf("%s has more than %d bytes", path, maxFile)
	}
	return content, err
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

func parseYAML(file string, content []byte) (*yaml.Node, error) {
	var doc, more yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(content))
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, &Error{File: file, Text: "is empty"}
	} else if err != nil {
		e := &Error{File: file, Text: strings.TrimPrefix(err.Error(), "yaml: ")}
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
			e.Text = strings.TrimPrefix(err.Error(), m[0])
		}
		return nil, e
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, &Error{File: file, Line: more.Line, Text: "a file holds one scenario; remove what follows ---"}
	}
	return doc.Content[0], nil
}

func (d *Document) errorAt(n *yaml.Node, key, format string, args ...any) *Error {
	file, ok := d.files[n]
	e := &Error{File: file, Line: n.Line, Key: key, Text: fmt.Sprintf(format, args...)}
	if !ok {
		e.File, e.Line = "--set", 0
	}
	return e
}

// set puts in a value that was given beside the file.
func (d *Document) set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return &Error{File: "--set", Text: fmt.Sprintf("%q must be KEY=VALUE, as in pace.rate=5", text)}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(value), &doc); err != nil || len(doc.Content) == 0 {
		doc = yaml.Node{Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}}}
	}
	return d.put(d.root, strings.Split(key, "."), doc.Content[0])
}
