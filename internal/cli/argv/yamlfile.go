package argv

import (
	"encoding/json"

	"go.yaml.in/yaml/v3"
)

// YAMLFile gives a file's content as JSON; it may be JSON already. Keys keep their order, and
// numbers their text.
func YAMLFile(file string, content []byte) (json.RawMessage, error) {
	if json.Valid(content) {
		return content, nil
	}
	root, err := yamlDocument(file, content)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, &UsageError{File: file, Text: "is empty"}
	}
	if err := checkTwice(root); err != nil {
		return nil, at(err, "", file, root.Line)
	}
	text, err := yamlJSON(root)
	if err != nil {
		return nil, at(err, "", file, root.Line)
	}
	return json.RawMessage(text), nil
}

// checkTwice refuses a key that a mapping has twice.
func checkTwice(n *yaml.Node) error {
	seen := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if seen[child.Value] {
				return Errorf("", "has the key %q twice", child.Value)
			}
			seen[child.Value] = true
		}
		if err := checkTwice(child); err != nil {
			return err
		}
	}
	return nil
}
