package sweep

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/compat/pyjson"
)

// Apply puts the setting into a command: a flag that is there is replaced, others
// are added at the end. The words of a flag's name are joined by dashes, except
// behind a dot, where the name is a key of JSON.
func (it Item) Apply(command []string) []string {
	command = slices.Clone(command)
	for _, m := range it {
		if m.Key == nameKey {
			continue
		}
		words := flagWords(m.Key, m.Value)
		at, joined := findFlag(command, m.Key)
		switch {
		case at < 0:
			command = append(command, words...)
		case joined || len(words) == 1:
			command = slices.Replace(command, at, at+1, words...)
		case at+1 < len(command) && !strings.HasPrefix(command[at+1], "--"):
			command[at], command[at+1] = words[0], words[1]
		default: // it stood there without a value
			command = slices.Replace(command, at, at+1, words...)
		}
	}
	return command
}

// flagName is a key as a flag's name, without its dashes.
func flagName(key string) string {
	name, path, dotted := strings.Cut(key, ".")
	name = strings.ReplaceAll(name, "_", "-")
	if dotted {
		name += "." + path
	}
	return name
}

// flagWords are the one or two words of a flag.
func flagWords(key string, v any) []string {
	switch v := v.(type) {
	case bool:
		switch {
		case strings.Contains(key, "."):
			return []string{"--" + flagName(key) + "=" + strings.ToLower(pyjson.Repr(v))}
		case v:
			return []string{"--" + flagName(key)}
		}
		return []string{"--no-" + flagName(key)}
	case Object:
		return []string{"--" + flagName(key), pyjson.Text(v)}
	default:
		return []string{"--" + flagName(key), pyjson.Str(v)}
	}
}

// findFlag finds a flag in a command, with dashes or underscores, as --k, --no-k or
// --k=v (then joined is true); -1 if it isn't there.
func findFlag(command []string, key string) (at int, joined bool) {
	want := flagName(key)
	for i, word := range command {
		name, isFlag := strings.CutPrefix(word, "--")
		if !isFlag {
			continue
		}
		name, _, joined := strings.Cut(name, "=")
		if name = flagName(name); name == want || name == "no-"+want {
			return i, joined
		}
	}
	return -1, false
}

// flagValue is the value of a flag in a command.
func flagValue(command []string, key string) (string, bool) {
	at, joined := findFlag(command, key)
	switch {
	case at < 0:
		return "", false
	case joined:
		_, value, _ := strings.Cut(command[at], "=")
		return value, true
	case at+1 < len(command):
		return command[at+1], true
	}
	return "", false
}
