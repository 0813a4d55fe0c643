package argv

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// Redacted returns the arguments with the values of secret flags hidden, for the
// result of a run. Call it with arguments that were parsed without error.
func (s *Set) Redacted(args []string) []string {
	shown := slices.Clone(args)
	found, _, _, _ := s.scan(args)
	for _, o := range found {
		if o.flag.redact == nil {
			continue
		}
		for i, v := range o.values {
			hidden := o.flag.redact(v)
			if len(o.path) > 0 && outside.SecretName(o.path[len(o.path)-1]) {
				hidden = outside.Redacted
			}
			if o.inline {
				shown[o.arg] = strings.TrimSuffix(shown[o.arg], v) + hidden
			} else {
				shown[o.arg+1+i] = hidden
			}
		}
	}
	return shown
}

// RedactPair keeps the key of KEY=VALUE and hides the value.
func RedactPair(text string) string {
	key, _, ok := strings.Cut(text, "=")
	if !ok {
		return outside.Redacted
	}
	return key + "=" + outside.Redacted
}

// RedactURL hides user and password in a URL. A token is often the user's name,
// so that is hidden too. Text with an @ that is not understood is hidden whole.
func RedactURL(text string) string {
	u, err := url.Parse(text)
	if err == nil && u.User != nil {
		u.User = url.User("redacted")
		return u.String()
	}
	if strings.Contains(text, "@") {
		return outside.Redacted
	}
	return text
}

// RedactJSON hides the texts of fields that are named like secrets, at any depth.
// All else stays as it was typed.
func RedactJSON(text string) string {
	for _, secret := range JSONSecrets(json.RawMessage(text)) {
		text = strings.ReplaceAll(text, string(secret), `"`+outside.Redacted+`"`)
	}
	return text
}

// JSONSecrets are the texts, in their quotes, of fields that are named like secrets.
func JSONSecrets(value json.RawMessage) (found []json.RawMessage) {
	var fields map[string]json.RawMessage
	var items []json.RawMessage
	switch {
	case json.Unmarshal(value, &fields) == nil:
		for name, v := range fields {
			if len(v) > 2 && v[0] == '"' && outside.SecretName(name) {
				found = append(found, v)
				continue
			}
			found = append(found, JSONSecrets(v)...)
		}
	case json.Unmarshal(value, &items) == nil:
		for _, v := range items {
			found = append(found, JSONSecrets(v)...)
		}
	}
	return found
}
