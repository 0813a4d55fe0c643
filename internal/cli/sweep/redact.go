package sweep

import (
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/cli/argv"
	"github.com/inferometer/inferometer/internal/outside"
)

// redactCommand hides in anybody's command what is named like a secret: values of
// flags such as --api-key, headers, logins in addresses, and variables of the
// environment. What is a variable of the shell stays.
func redactCommand(words []string) []string {
	shown := slices.Clone(words)
	for i := 0; i < len(shown); i++ {
		flag, value, inline := strings.Cut(shown[i], "=")
		name := strings.TrimLeft(flag, "-")
		isFlag := strings.HasPrefix(flag, "-")
		switch {
		case isFlag && isSecretFlag(name) && inline:
			shown[i] = flag + "=" + redactValue(name, value)
		case isFlag && isSecretFlag(name):
			for i+1 < len(shown) && !strings.HasPrefix(shown[i+1], "-") {
				i++
				shown[i] = redactValue(name, shown[i])
			}
		case !isFlag && inline && outside.SecretName(flag):
			shown[i] = flag + "=" + outside.Redacted
		default:
			shown[i] = redactLogin(shown[i])
		}
	}
	return shown
}

func isSecretFlag(name string) bool {
	return name == "H" || name == "header" || name == "headers" || name == "extra-body" || name == "extra_body" || outside.SecretName(name)
}

func redactValue(name, value string) string {
	switch {
	case strings.HasPrefix(value, "$"):
		return value
	case strings.HasPrefix(name, "extra"):
		return outside.RedactJSON(value)
	case strings.HasPrefix(name, "header"):
		return argv.RedactPair(value)
	}
	return outside.Redacted
}

// redactLogin hides a login in an address, which may follow a flag and =.
func redactLogin(word string) string {
	at := strings.Index(word, "://")
	if at < 0 || !strings.Contains(word, "@") {
		return word
	}
	from := strings.LastIndexByte(word[:at], '=') + 1
	return word[:from] + outside.RedactURL(word[from:])
}
