package shell

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/inferometer/inferometer/schema"
)

// node is a part of a JSON Schema.
type node struct {
	Ref         string           `json:"$ref"`
	Description string           `json:"description"`
	Properties  map[string]*node `json:"properties"`
	Items       json.RawMessage  `json:"items"`                // a node, or a boolean
	Each        json.RawMessage  `json:"additionalProperties"` // likewise
	AnyOf       []*node          `json:"anyOf"`
	Defs        map[string]*node `json:"$defs"`
}

// key is one key of a result: its path, with dots, and what it is.
type key struct{ path, text string }

// keys are all keys of a result, from its schema.
var keys = sync.OnceValue(func() (all []key) {
	var root node
	if err := json.Unmarshal(schema.Result, &root); err != nil {
		panic("shell: the schema of results: " + err.Error()) // it is a part of the program
	}
	root.walk(&root, "", "", func(k key) { all = append(all, k) })
	slices.SortFunc(all, func(a, b key) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(all)
})

// maxDepth bounds how deep a schema is walked: a definition may refer to itself.
const maxDepth = 8

// walk tells the keys below a node. One without words of its own has those of its owner.
func (n *node) walk(root *node, path, owner string, tell func(key)) {
	if n == nil || strings.Count(path, ".") > maxDepth {
		return
	}
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		root.Defs[name].walk(root, path, owner, tell)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
		inner := n.Properties[name]
		text := inner.describe(root)
		if text == "" {
			text = owner
		}
		tell(key{path + name, strings.ReplaceAll(text, "`", "")})
		inner.walk(root, path+name+".", text, tell)
	}
	for _, raw := range []json.RawMessage{n.Items, n.Each} {
		var inner node
		if json.Unmarshal(raw, &inner) == nil {
			inner.walk(root, path, owner, tell)
		}
	}
	for _, inner := range n.AnyOf {
		inner.walk(root, path, owner, tell)
	}
}

// describe is what the node says of itself, or else its definition.
func (n *node) describe(root *node) string {
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok && n.Description == "" && root.Defs[name] != nil {
		return root.Defs[name].Description
	}
	return n.Description
}

// ofResult gives the meanings of a key of a result: by its path, or by the end of one.
func ofResult(word string) (found []Meaning) {
	const most = 3
	word = strings.ToLower(word)
	paths := map[string][]string{}
	var texts []string
	for _, k := range keys() {
		if k.path != word && !strings.HasSuffix(k.path, "."+word) || k.text == "" {
			continue
		}
		if paths[k.text] == nil {
			texts = append(texts, k.text)
		}
		paths[k.text] = append(paths[k.text], k.path)
	}
	for _, text := range texts {
		same := paths[text]
		name := same[0]
		if len(same) > 1 {
			name += " and others"
		}
		if len(found) < most {
			found = append(found, Meaning{name, "key of a result in JSON", sentence(text)})
		}
	}
	return found
}
