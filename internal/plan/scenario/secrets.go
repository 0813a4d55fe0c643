package scenario

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
	"go.yaml.in/yaml/v3"
)

// secrets are what the run sends to servers and must not be written down: the API
// key, the values of headers, and logins in addresses.
func (r *Runner) secrets() *outside.Secrets {
	words := outside.HeaderSecrets(r.Header)
	for _, p := range r.Plan.Points {
		for _, address := range append([]string{p.target.BaseURL}, p.target.BaseURLs...) {
			if u, err := url.Parse(address); err == nil {
				words = append(words, outside.LoginSecrets(u)...)
			}
		}
		for _, f := range slices.Concat(p.scenario.Flags, p.target.Flags) {
			for _, v := range f.Values {
				if _, secret, ok := strings.Cut(v, "="); ok && f.Flag == "header" {
					words = append(words, secret)
				}
			}
		}
	}
	slices.Sort(words)
	return outside.NewSecrets(slices.Compact(words)...)
}

// isSecretKey says whether the values of a key are secrets: of a flag, or of a
// variable of the environment.
func isSecretKey(key string) bool {
	name := key[strings.LastIndexByte(key, '.')+1:]
	return name == "header" || outside.SecretName(name)
}

// secretText finds secrets in a text: a login in an address, a key in a command.
var secretText = regexp.MustCompile(`(://)[^/@\s"']+(@)|(--?[a-z-]*(?:api-key|token|password|secret)[= ]+["']?)[^\s"'$]+()`)

// redact hides the secrets of a tree that is written down. Variables are their
// names and stay: that is how a secret should be given.
func redact(n *yaml.Node, secret bool) {
	for i, c := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode:
			redact(c, secret)
		case i%2 == 1:
			redact(c, secret || isSecretKey(n.Content[i-1].Value))
		}
	}
	if n.Kind != yaml.ScalarNode || isNull(n) {
		return
	}
	if secret && !strings.Contains(n.Value, "${") {
		name, _, pair := strings.Cut(n.Value, "=")
		n.Value, n.Tag, n.Style = outside.Redacted, "!!str", 0
		if pair {
			n.Value = name + "=" + outside.Redacted
		}
		return
	}
	n.Value = secretText.ReplaceAllStringFunc(n.Value, func(found string) string {
		if strings.Contains(found, "${") {
			return found
		}
		return secretText.ReplaceAllString(found, "${1}${3}redacted${2}${4}")
	})
}
