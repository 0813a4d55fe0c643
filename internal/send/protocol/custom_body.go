package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// samplingNames are the values of flags that are sent only where they are given.
var samplingNames = []string{
	"temperature", "top_p", "top_k", "min_p", "frequency_penalty", "presence_penalty", "repetition_penalty", "logprobs",
}

// placeholders are what a body may hold beside them.
var placeholders = []string{"prompt", "messages", "model", "max_tokens", "ignore_eos", "id"}

// maxTemplateDepth bounds how deeply a body is nested.
const maxTemplateDepth = 32

// template is a body with places to be filled in.
type template struct {
	top  templateNode
	used []string
}

// templateNode is a value of it: one of its fields is set.
type templateNode struct {
	raw    json.RawMessage // nothing in it is filled in
	name   string          // a placeholder
	parts  []string        // a text: every second one is a placeholder
	keys   []string        // of an object
	values []templateNode  // of an object or, without keys, of a list
}

func (t *template) uses(name string) bool { return slices.Contains(t.used, name) }

// read reads a body. Order and numbers stay as they are.
func (t *template) read(raw json.RawMessage) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var err error
	if t.top, err = t.value(d, "", 0); err != nil {
		return err
	}
	switch {
	case !t.uses("prompt") && !t.uses("messages"):
		return errors.New("has neither {prompt} nor {messages} in it: all requests would be the same (YAML needs quotes around it: \"{prompt}\")")
	case t.uses("prompt") && t.uses("messages"):
		return errors.New("has both {prompt} and {messages} in it: a request has one of them")
	case t.uses("ignore_eos") && !t.uses("max_tokens"):
		return errors.New("has {ignore_eos} and no {max_tokens}: answers would not end")
	}
	return nil
}

// value reads the next value; key is that of an object, if it is in one.
func (t *template) value(d *json.Decoder, key string, depth int) (n templateNode, err error) {
	token, err := d.Token()
	if err != nil {
		return n, errors.New("is no JSON")
	}
	delim, nested := token.(json.Delim)
	switch text, isText := token.(string); {
	case isText:
		return t.text(text, key)
	case !nested:
		n.raw, err = marshal(token)
		return n, err
	case depth == maxTemplateDepth:
		return n, fmt.Errorf("is nested deeper than %d", maxTemplateDepth)
	}
	n.values = []templateNode{}
	if delim == '{' {
		n.keys = []string{}
	}
	for d.More() {
		name := ""
		if delim == '{' {
			token, err := d.Token()
			if err != nil {
				return n, errors.New("is no JSON")
			}
			name, _ = token.(string)
			n.keys = append(n.keys, name)
		}
		value, err := t.value(d, name, depth+1)
		if err != nil {
			return n, err
		}
		n.values = append(n.values, value)
	}
	_, err = d.Token() // the closing bracket
	return n, err
}

var placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)

// text reads a text, which is a placeholder, has some in it, or stays as it is.
func (t *template) text(text, key string) (n templateNode, err error) {
	found := placeholder.FindAllStringSubmatchIndex(text, -1)
	whole := len(found) == 1 && found[0][0] == 0 && found[0][1] == len(text)
	end := 0
	for _, at := range found {
		name := text[at[2]:at[3]]
		sampling := slices.Contains(samplingNames, name)
		switch known := sampling || slices.Contains(placeholders, name); {
		case !known && whole:
			return n, fmt.Errorf("%s: {%s} stands for nothing; what can be filled in is %s", outside.Word(key), name, strings.Join(append(slices.Clone(placeholders), samplingNames...), ", "))
		case !known:
			continue
		case sampling && (!whole || key == ""):
			return n, fmt.Errorf("{%s} must be all of a key's value, which is left out where the flag is not given", name)
		case name == "messages" && !whole:
			return n, errors.New("{messages} is a list, and can't be part of a text")
		}
		if !t.uses(name) {
			t.used = append(t.used, name)
		}
		if whole {
			return templateNode{name: name}, nil
		}
		n.parts = append(n.parts, text[end:at[0]], name)
		end = at[1]
	}
	if n.parts != nil {
		n.parts = append(n.parts, text[end:])
		return n, nil
	}
	n.raw, err = marshal(text)
	return n, err
}

// AppendBody implements Protocol.
func (p *custom) AppendBody(dst []byte, c *Call) ([]byte, error) {
	switch chat := p.body.uses("messages"); {
	case c.TokenIDs || c.Inputs != nil || c.Sound != nil:
		return nil, errors.New("the protocol's file takes a text or messages, not token ids, lists of texts or files")
	case !chat && (c.Messages != nil || c.Media != nil):
		return nil, errors.New("the body of the protocol's file has no {messages}, which the dataset sends")
	}
	for _, f := range c.Extra {
		if f.Sampling && !p.body.uses(f.Name) {
			return nil, fmt.Errorf("the body of the protocol's file has no {%s}", f.Name)
		}
	}
	if p.body.top.keys == nil {
		if slices.ContainsFunc(c.Extra, func(f Field) bool { return !f.Sampling }) {
			return nil, errors.New("further fields can't be sent: the body of the protocol's file is no object")
		}
		raw, _, err := p.body.top.fill(c)
		return append(dst, raw...), err
	}
	var b body
	if err := errors.Join(p.body.top.object(&b, c), b.setExtra(c)); err != nil {
		return nil, err
	}
	return b.appendTo(dst)
}

// object sets the fields of an object that are there.
func (n *templateNode) object(b *body, c *Call) error {
	for i, key := range n.keys {
		raw, unset, err := n.values[i].fill(c)
		if err != nil {
			return err
		}
		if !unset {
			b.Set(key, raw)
		}
	}
	return nil
}

// fill is the value for a call; unset: there is none.
func (n *templateNode) fill(c *Call) (raw json.RawMessage, unset bool, err error) {
	switch {
	case n.raw != nil:
		return n.raw, false, nil
	case n.name != "":
		return c.value(n.name)
	case n.parts != nil:
		words := ""
		for i, part := range n.parts {
			if i%2 == 1 {
				part = c.word(part)
			}
			words += part
		}
		raw, err = marshal(words)
		return raw, false, err
	case n.keys != nil:
		var b body
		if err := n.object(&b, c); err != nil {
			return nil, false, err
		}
		raw, err = b.appendTo(nil)
		return raw, false, err
	}
	raw = append(raw, '[')
	for i := range n.values {
		if i > 0 {
			raw = append(raw, ", "...)
		}
		value, _, err := n.values[i].fill(c)
		if err != nil {
			return nil, false, err
		}
		raw = append(raw, value...)
	}
	return append(raw, ']'), false, nil
}

// value is what a placeholder stands for; unset: a flag that is not given.
func (c *Call) value(name string) (raw json.RawMessage, unset bool, err error) {
	switch name {
	case "messages":
		raw, err = chatMessages(c, c.Prompt, false)
	case "max_tokens", "ignore_eos":
		raw = json.RawMessage(c.word(name))
	case "prompt", "model", "id":
		raw, err = marshal(c.word(name))
	case "logprobs":
		if c.Logprobs == nil {
			return nil, true, nil
		}
		raw, err = marshal(*c.Logprobs)
	default:
		unset = true
		for _, f := range c.Extra {
			if f.Sampling && f.Name == name {
				raw, unset = f.Value, false
			}
		}
	}
	return raw, unset, err
}

// word is what a placeholder stands for inside a text.
func (c *Call) word(name string) string {
	switch name {
	case "prompt":
		return c.Prompt
	case "model":
		return c.Model
	case "max_tokens":
		return strconv.Itoa(c.MaxTokens)
	case "ignore_eos":
		return strconv.FormatBool(c.IgnoreEOS)
	case "id":
		return strconv.Itoa(c.Index)
	}
	return ""
}
