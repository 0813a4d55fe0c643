package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/judge/slo"
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/target"
	"go.yaml.in/yaml/v3"
)

// path is a file or folder; a relative one counts from the file that names it.
type path string

func (p *path) decodeNode(d *decoder, _ string, n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("must be a path, not %s", describe(n))
	}
	*p = path(n.Value)
	if from, ok := d.doc.files[n]; ok && n.Value != "" && !filepath.IsAbs(n.Value) {
		*p = path(filepath.Join(filepath.Dir(from), n.Value))
	}
	return nil
}

// natsPlace is an address of NATS, or the path of a file that says where it is.
type natsPlace string

func (p *natsPlace) decodeNode(d *decoder, key string, n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, "://") {
		*p = natsPlace(n.Value)
		return nil
	}
	return (*path)(p).decodeNode(d, key, n)
}

// Command is a program and its arguments. A text is given to the shell, which
// knows quotes and settings of the environment; a list is run as it is.
type Command struct{ Args []string }

func (c *Command) decodeNode(_ *decoder, _ string, n *yaml.Node) error {
	switch {
	case n.Kind == yaml.ScalarNode && strings.TrimSpace(n.Value) != "":
		c.Args = target.Shell(n.Value)
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0:
		for _, item := range n.Content {
			if item.Kind != yaml.ScalarNode {
				return fmt.Errorf("must be a list of words, and one is %s", describe(item))
			}
			c.Args = append(c.Args, item.Value)
		}
	default:
		return errors.New("must be a command line, or a list of its words")
	}
	return nil
}

// httpPath is the path that stands in the place of a command, as in version: /version.
// A program without arguments whose path begins with a slash is written as a list.
func (c Command) httpPath() (string, bool) {
	text, ok := target.ShellText(c.Args)
	return text, ok && strings.HasPrefix(text, "/") && !strings.ContainsAny(text, " \t\n")
}

func (o *objective) decodeNode(_ *decoder, _ string, n *yaml.Node) error {
	text := n.Value
	if n.Kind == yaml.SequenceNode {
		var clauses []string
		for _, item := range n.Content {
			clauses = append(clauses, item.Value)
		}
		text = strings.Join(clauses, " and ")
	}
	var err error
	o.SLO, err = slo.Parse(text)
	return err
}

// resetPaths are what is POSTed before each point. true is vLLM's path.
type resetPaths []string

// usualReset is the path of vLLM and of our simulator.
const usualReset = "/reset_prefix_cache"

func (r *resetPaths) decodeNode(_ *decoder, _ string, n *yaml.Node) error {
	items := n.Content
	if n.Kind == yaml.ScalarNode {
		switch n.Value {
		case "true":
			*r = resetPaths{usualReset}
			return nil
		case "false":
			*r = nil
			return nil
		}
		items = []*yaml.Node{n}
	}
	for _, item := range items {
		if !strings.HasPrefix(item.Value, "/") {
			return fmt.Errorf("must be true, or a path such as %s, not %s", usualReset, describe(item))
		}
		*r = append(*r, item.Value)
	}
	return nil
}

// share is 5% or 0.05.
type share float64

func (s *share) decodeNode(_ *decoder, _ string, n *yaml.Node) error {
	text, percent := strings.CutSuffix(n.Value, "%")
	v, err := strconv.ParseFloat(text, 64)
	if percent {
		v /= 100
	}
	if err != nil || v <= 0 || v >= 1 {
		return fmt.Errorf("must be a share such as 5%%, not %s", describe(n))
	}
	*s = share(v)
	return nil
}

// Flags are flags of bench serve that the file has no key for, in the order of the file.
type Flags option.Settings

func (f *Flags) decodeNode(d *decoder, key string, n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("must be names of flags of bench serve and their values, not %s", describe(n))
	}
	for k, v := range pairs(n) {
		name := strings.ReplaceAll(strings.TrimLeft(k.Value, "-"), "_", "-")
		switch {
		case ours(name):
			d.fail(k, join(key, k.Value), "is set by the run itself")
		case isNull(v) || v.Kind == yaml.ScalarNode && v.Value == "false":
		case v.Kind == yaml.ScalarNode && v.Value == "true":
			*f = append(*f, option.Setting{Flag: name})
		default:
			values, err := flagValues(v)
			if err != nil {
				d.fail(v, join(key, k.Value), "%v", err)
			}
			*f = append(*f, option.Setting{Flag: name, Values: values, Joined: true})
		}
	}
	return nil
}

// ours says whether the runner sets a flag for each point.
func ours(name string) bool {
	switch name {
	case "run-dir", "base-url", "targets", "host", "port", "balance", "progress", "config", "label", "quiet":
		return true
	}
	return false
}

func flagValues(v *yaml.Node) ([]string, error) {
	switch v.Kind {
	case yaml.ScalarNode:
		return []string{v.Value}, nil
	case yaml.SequenceNode:
		var values []string
		for _, item := range v.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("must be a list of values, and one is %s", describe(item))
			}
			values = append(values, item.Value)
		}
		return values, nil
	}
	var content any
	if err := v.Decode(&content); err != nil {
		return nil, err
	}
	b, err := json.Marshal(content)
	return []string{string(b)}, err
}

// The shorthands: ready: /health, stop: 20s, fleet: nats://127.0.0.1:4222.

func (f *Fleet) decodeNode(d *decoder, key string, n *yaml.Node) error {
	type plain Fleet
	return shorthand(d, key, n, "nats", (*plain)(f))
}

func (r *Ready) decodeNode(d *decoder, key string, n *yaml.Node) error {
	type plain Ready
	return shorthand(d, key, n, "path", (*plain)(r))
}

func (s *Stop) decodeNode(d *decoder, key string, n *yaml.Node) error {
	type plain Stop
	return shorthand(d, key, n, "grace", (*plain)(s))
}

// shorthand reads a single value as that of one key.
func shorthand(d *decoder, key string, n *yaml.Node, name string, into any) error {
	if n.Kind == yaml.ScalarNode {
		k := *n
		k.Value = name
		d.doc.files[&k] = d.doc.files[n]
		whole := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Content: []*yaml.Node{&k, n}}
		d.doc.files[whole] = d.doc.files[n]
		n = whole
	}
	d.decodeStruct(key, n, reflect.ValueOf(into).Elem())
	return nil
}
