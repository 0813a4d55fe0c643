package hub

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// FromEnvironment makes a client from the variables that Python's client reads. lookup
// finds one.
func FromEnvironment(lookup func(name string) (string, bool)) *Client {
	first := func(names ...string) string {
		for _, name := range names {
			if value, _ := lookup(name); value != "" {
				return value
			}
		}
		return ""
	}
	home := expand(first("HF_HOME"), lookup)
	if home == "" {
		cache := first("XDG_CACHE_HOME")
		if cache == "" {
			cache = expand("~/.cache", lookup)
		}
		home = filepath.Join(cache, "huggingface")
	}
	c := &Client{
		Endpoint: strings.TrimRight(first("HF_ENDPOINT"), "/"),
		CacheDir: expand(first("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"), lookup),
		Offline:  isTrue(first("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")),
	}
	if c.CacheDir == "" {
		c.CacheDir = filepath.Join(home, "hub")
	}
	c.Token = clean(first("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"))
	if c.Token == "" && !isTrue(first("HF_HUB_DISABLE_IMPLICIT_TOKEN")) {
		file := expand(first("HF_TOKEN_PATH"), lookup)
		if file == "" {
			file = filepath.Join(home, "token")
		}
		c.Token = tokenFile(file)
	}
	return c
}

// longestToken bounds the token's file.
const longestToken = 4 << 10

func tokenFile(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > longestToken {
		return ""
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return clean(string(b))
}

// clean takes line breaks and spaces off a token; one that can't stand in a header is none.
func clean(token string) string {
	token = strings.TrimSpace(token)
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ""
	}
	return token
}

func isTrue(value string) bool {
	return slices.Contains([]string{"1", "ON", "YES", "TRUE"}, strings.ToUpper(value))
}

// expand puts the user's folder in the place of ~, and variables in the place of theirs.
func expand(path string, lookup func(name string) (string, bool)) string {
	if path == "~" || strings.HasPrefix(path, "~/") {
		home, _ := lookup("HOME")
		if home == "" {
			home, _ = os.UserHomeDir() // without one the path stays relative, and nothing is found
		}
		path = filepath.Join(home, path[1:])
	}
	return os.Expand(path, func(name string) string {
		if value, ok := lookup(name); ok {
			return value
		}
		return "$" + name // as Python leaves it
	})
}
