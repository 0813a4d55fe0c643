package outside

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Redacted stands where a secret was.
const Redacted = "<redacted>"

// leastSecret is the length from which a text may be a secret: shorter ones are
// words that may stand in any message.
const leastSecret = 8

// Secrets are the texts of a run that must not be written down. A nil one knows none.
type Secrets struct{ words []string }

// NewSecrets knows texts in the forms in which a server may repeat them: as they
// are, in JSON, and in a URL.
func NewSecrets(words ...string) *Secrets {
	s := &Secrets{}
	for _, w := range words {
		if len(w) < leastSecret {
			continue
		}
		quoted, _ := json.Marshal(w) // a string always marshals
		for _, form := range []string{w, Line(w, len(w)), string(quoted[1 : len(quoted)-1]), url.QueryEscape(w), url.PathEscape(w)} {
			if !slices.Contains(s.words, form) {
				s.words = append(s.words, form)
			}
		}
	}
	// The longest first: one may begin with another.
	slices.SortStableFunc(s.words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return s
}

// HeaderSecrets are what a header's lines may give away: the value, and of a scheme
// such as Bearer or Basic only what follows it; of Basic the login too.
func HeaderSecrets(h http.Header) (words []string) {
	for name, values := range h {
		if slices.Contains(known, name) {
			continue
		}
		for _, v := range values {
			scheme, credentials, found := strings.Cut(v, " ")
			if !found || name != "Authorization" && name != "Proxy-Authorization" {
				words = append(words, v)
				continue
			}
			words = append(words, strings.TrimSpace(credentials))
			if login, err := base64.StdEncoding.DecodeString(credentials); err == nil && strings.EqualFold(scheme, "Basic") {
				_, password, _ := strings.Cut(string(login), ":")
				words = append(words, string(login), password)
			}
		}
	}
	return words
}

// LoginSecrets are the user and the password of an address: a token is often the
// user's name.
func LoginSecrets(u *url.URL) []string {
	if u == nil || u.User == nil {
		return nil
	}
	password, _ := u.User.Password()
	return []string{u.User.String(), u.User.Username() + ":" + password, password, u.User.Username()}
}

// known are headers of our own, which hold no secret.
var known = []string{"Content-Type", "Accept", "User-Agent", "Anthropic-Version"}

// Scrub replaces each secret, and the beginning of one at the end, where the text
// may have been cut off.
func (s *Secrets) Scrub(text string) string {
	if s == nil || len(text) < leastSecret {
		return text
	}
	for _, w := range s.words {
		text = strings.ReplaceAll(text, w, Redacted)
	}
	rest, cut := strings.CutSuffix(text, "…")
	for _, w := range s.words {
		for n := min(len(w)-1, len(rest)); n >= leastSecret; n-- {
			if strings.HasSuffix(rest, w[:n]) {
				rest = rest[:len(rest)-n] + Redacted
				break
			}
		}
	}
	if cut {
		rest += "…"
	}
	return rest
}

// Word is a name from outside without the secrets: see the function of that name.
func (s *Secrets) Word(text string) string { return s.line(text, MaxWord) }

// Sentence is what someone outside says, without the secrets.
func (s *Secrets) Sentence(text string) string { return s.line(text, MaxSentence) }

// line scrubs before the text is cut, and after what could hide a secret is gone.
func (s *Secrets) line(text string, n int) string {
	if len(text) <= n && isPlain(text) {
		return s.Scrub(text)
	}
	return s.Scrub(Line(s.Scrub(text), n))
}

// secretName is what the things are called that nobody else should see.
var secretName = regexp.MustCompile(`(?i)(^|[_.-])(key|apikey|token|secret|password|passwd|credentials?|authorization|auth|bearer)$`)

// SecretName says whether a flag, variable or field is named like a secret.
func SecretName(name string) bool { return secretName.MatchString(name) }
