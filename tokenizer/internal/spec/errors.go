package spec

import (
	"errors"
	"fmt"
)

// ErrUnsupported is the tokenizer package's.
var ErrUnsupported = errors.New("not supported")

// Unsupported names a part that is not implemented.
func Unsupported(part, what string) error {
	return fmt.Errorf("%s %s is %w", part, what, ErrUnsupported)
}

// Limitation marks an error with a message of its own as ErrUnsupported.
type Limitation struct{ error }

// NewLimitation marks err.
func NewLimitation(err error) error { return Limitation{err} }

// Is says that a limitation is an ErrUnsupported.
func (Limitation) Is(target error) bool { return target == ErrUnsupported }

func (l Limitation) Unwrap() error { return l.error }

// failure carries an error out of the loops over pieces, as a panic that Encode and Load turn back into
// an error.
type failure struct{ err error }

// GiveUp ends an encoding that a file's pattern or normalizer makes impossible.
func GiveUp(err error) {
	if err != nil {
		panic(failure{Limitation{err}})
	}
}

// Caught is deferred by Encode and Load. It turns GiveUp's panic into an error and lets others through.
func Caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.err
	default:
		panic(r)
	}
}

// A normalizer may lengthen a text by a constant factor, such as a mark before each word. Anything beyond
// these limits is a file that means harm.
const (
	maxGrowthFactor = 64
	freeGrowthBytes = 1 << 16
)

var errGrowth = errors.New("the normalizer makes the text grow without end")

// CheckGrowth gives up on a text that has grown too much.
func CheckGrowth(text string, from int) {
	if len(text) > maxGrowthFactor*from+freeGrowthBytes {
		GiveUp(errGrowth)
	}
}
