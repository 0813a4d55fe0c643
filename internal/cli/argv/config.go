package argv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fromConfig reads the file that --config names, if it was given.
func (s *Set) fromConfig(found []occurrence) ([]occurrence, error) {
	name, given := "", false
	for _, o := range found {
		if o.flag != s.configFlag {
			continue
		}
		if given {
			return nil, Errorf("config", "can be given only once")
		}
		name, given = o.values[0], true
	}
	if !given {
		return nil, nil
	}
	content, err := s.ReadFile(name)
	if err != nil {
		return nil, Errorf("config", "can't be read: %v", err)
	}
	return s.readConfig(name, content)
}

// readConfig turns a YAML mapping into occurrences of flags. The nodes are read,
// not Go values, since they keep the lines, the order and the text of a number.
func (s *Set) readConfig(file string, content []byte) ([]occurrence, error) {
	root, err := yamlDocument(file, content)
	if err != nil || root == nil {
		return nil, err
	}
	if root.Kind != yaml.MappingNode {
		return nil, &UsageError{File: file, Line: root.Line, Text: "must be a mapping of flag names to values"}
	}
	var found []occurrence
	firstLine := map[*Flag]int{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		o, present, err := s.configEntry(key, value)
		if err == nil && o.flag != nil {
			if line, twice := firstLine[o.flag]; twice {
				err = Errorf("", "is set twice").WithHint("it is on line %d already", line)
			}
			firstLine[o.flag] = key.Line
		}
		if err != nil {
			name := ""
			if o.flag != nil {
				name = o.flag.Name
			}
			return nil, at(err, name, file, key.Line)
		}
		if present {
			o.source, o.file, o.line = FromConfig, file, key.Line
			found = append(found, o)
		}
	}
	return found, nil
}

// yamlDocument returns the root of the only document; nil for an empty file.
func yamlDocument(file string, content []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var doc, second yaml.Node
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil && !errors.Is(decoder.Decode(&second), io.EOF) {
		return nil, &UsageError{File: file, Line: second.Line, Text: "must hold one YAML document and no more"}
	}
	if err != nil {
		u := &UsageError{File: file, Text: "is no YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
		if m := yamlErrorLine.FindStringSubmatch(err.Error()); m != nil {
			u.Line, _ = strconv.Atoi(m[1])
			u.Text = "is no YAML: " + m[2]
		}
		return nil, u
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

var yamlErrorLine = regexp.MustCompile(`(?s)^yaml: line (\d+): (.*)`)

// configEntry is one key of the config. present is false for a switch that is off.
func (s *Set) configEntry(key, value *yaml.Node) (o occurrence, present bool, err error) {
	if key.Kind != yaml.ScalarNode {
		return o, false, Errorf("", "a flag's name must be plain text")
	}
	sp, path, ambiguous := s.resolve(key.Value)
	switch {
	case ambiguous != nil:
		return o, false, ambiguousError(token{name: key.Value, ambiguous: ambiguous})
	case sp.flag == nil || path != nil:
		return o, false, s.unknownError(stranger{name: key.Value})
	case sp.flag == s.configFlag || sp.flag.Name == "help":
		return o, false, Errorf(sp.flag.Name, "can't be set in a config file")
	}
	o.flag = sp.flag
	o.values, present, err = sp.configValues(value)
	return o, present, err
}

// configValues turns a YAML value into what would stand on the command line.
func (sp spelling) configValues(n *yaml.Node) (values []string, present bool, err error) {
	f := sp.flag
	if f.arity == NoValue || f.arity == triValue {
		on, err := yamlBool(n)
		switch {
		case err != nil:
			return nil, false, err
		case f.arity == NoValue || sp.negated:
			return []string{strconv.FormatBool(!sp.negated)}, on, nil
		}
		return []string{strconv.FormatBool(on)}, true, nil
	}
	if f.Unsupported != "" && n.Kind != yaml.ScalarNode {
		return nil, true, nil // it will be refused, whatever it holds
	}
	isList := f.arity == ZeroOrMore || f.arity == OneOrMore
	switch {
	case n.Kind == yaml.AliasNode:
		return nil, false, errAlias()
	case f.shape == jsonText && !isPlainJSON(n), f.shape == textOrJSON && n.Kind == yaml.MappingNode:
		text, err := yamlJSON(n)
		return []string{text}, true, err
	case n.Kind == yaml.SequenceNode && (isList || f.shape == csvShape):
		values, err = yamlTexts(n.Content)
		if f.shape == csvShape {
			values = []string{strings.Join(values, ",")}
		}
	case n.Kind == yaml.MappingNode && f.pairSep != "":
		values, err = yamlPairs(n.Content, f.pairSep)
	default:
		values, err = yamlTexts([]*yaml.Node{n})
	}
	if err == nil && len(values) == 0 && f.arity == OneOrMore {
		err = Errorf("", "needs at least one value")
	}
	return values, true, err
}

func errAlias() error {
	return Errorf("", "uses a YAML alias, which is not read here").WithHint("write the value out")
}

// isPlainJSON reports whether the node is JSON written as text, as on the command line.
func isPlainJSON(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!str" }

func yamlBool(n *yaml.Node) (bool, error) {
	if n.Kind == yaml.ScalarNode && (n.Tag == "!!bool" || n.Style == 0) {
		switch strings.ToLower(n.Value) {
		case "true", "yes", "on": // YAML 1.1, which Python reads, knows all three
			return true, nil
		case "false", "no", "off":
			return false, nil
		}
	}
	return false, Errorf("", "must be true or false in a config file")
}

func yamlTexts(nodes []*yaml.Node) ([]string, error) {
	var texts []string
	for _, n := range nodes {
		switch {
		case n.Kind == yaml.AliasNode:
			return nil, errAlias()
		case n.Kind != yaml.ScalarNode:
			return nil, Errorf("", "needs a plain value here, not a list or a mapping")
		case n.Tag == "!!null":
			return nil, Errorf("", "has no value").WithHint("delete the line to leave the flag unset")
		case n.Tag == "!!bool":
			return nil, Errorf("", "needs a value, not %s", n.Value).WithHint("put it in quotes if it is meant as text")
		}
		text := n.Value
		if n.Tag == "!!float" { // YAML writes .inf where a flag has inf
			text = strings.Replace(strings.ToLower(text), ".inf", "inf", 1)
		}
		texts = append(texts, text)
	}
	return texts, nil
}

func yamlPairs(content []*yaml.Node, sep string) ([]string, error) {
	var pairs []string
	for i := 0; i+1 < len(content); i += 2 {
		texts, err := yamlTexts(content[i : i+2])
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, texts[0]+sep+texts[1])
	}
	return pairs, nil
}

// yamlJSON writes a node as JSON and keeps the order of keys: it is the order in
// which they go into the body of a request.
func yamlJSON(n *yaml.Node) (string, error) {
	switch n.Kind {
	case yaml.MappingNode:
		var members []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, err := json.Marshal(n.Content[i].Value)
			if err != nil || n.Content[i].Kind != yaml.ScalarNode {
				return "", Errorf("", "has a key that is no text")
			}
			value, err := yamlJSON(n.Content[i+1])
			if err != nil {
				return "", err
			}
			members = append(members, string(key)+":"+value)
		}
		return "{" + strings.Join(members, ",") + "}", nil
	case yaml.SequenceNode:
		var items []string
		for _, item := range n.Content {
			value, err := yamlJSON(item)
			if err != nil {
				return "", err
			}
			items = append(items, value)
		}
		return "[" + strings.Join(items, ",") + "]", nil
	case yaml.ScalarNode:
		return yamlScalarJSON(n)
	}
	return "", errAlias()
}

func yamlScalarJSON(n *yaml.Node) (string, error) {
	if json.Valid([]byte(n.Value)) && (n.Tag == "!!int" || n.Tag == "!!float") {
		return n.Value, nil // the number as it was written
	}
	var value any
	if err := n.Decode(&value); err != nil {
		return "", fmt.Errorf("holds a value that can't be read: %w", err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", Errorf("", "holds %s, which JSON can't", n.Value)
	}
	return string(text), nil
}
