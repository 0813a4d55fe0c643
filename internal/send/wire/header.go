package wire

import (
	"fmt"
	"strings"
)

// CheckHeader says what is wrong with a header that is to be sent. The value is not
// repeated: it may be a secret.
func CheckHeader(name, value string) error {
	if name == "" || strings.ContainsRune(name, ' ') || !validName(name) {
		return fmt.Errorf("has a name that HTTP does not allow: %q", name)
	}
	if !validValue(value) {
		return fmt.Errorf("has a control character, such as a line break, in the value of %s", name)
	}
	return nil
}

// validName: what net/http takes for a header's name, the space before a colon included.
func validName[T string | []byte](name T) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		case strings.IndexByte(" !#$%&'*+-.^_`|~", c) < 0:
			return false
		}
	}
	return true
}

// validValue: no control characters but the tab.
func validValue[T string | []byte](value T) bool {
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
