package outside

import (
	"encoding/json"
	"net/url"
	"strings"
)

// RedactURL hides user and password in a URL. A token is often the user's name,
// so that is hidden too. Text with an @ that is not understood is hidden whole.
func RedactURL(text string) string {
	u, err := url.Parse(text)
	if err == nil && u.User != nil {
		u.User = url.User("redacted")
		return u.String()
	}
	if strings.Contains(text, "@") {
		return Redacted
	}
	return text
}

// RedactJSON hides the texts of fields that are named like secrets, at any depth.
// All else stays as it was typed.
func RedactJSON(text string) string {
	for _, secret := range JSONSecrets(json.RawMessage(text)) {
		text = strings.ReplaceAll(text, string(secret), `"`+Redacted+`"`)
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
			if len(v) > 2 && v[0] == '"' && SecretName(name) {
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
