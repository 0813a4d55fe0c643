package tokenizer

import (
	"errors"
	"fmt"
)

var (
	// ErrUnsupported is wrapped by the errors of [Load] for a tokenizer.json with a part that this package
	// does not implement, and by those of Encode for a file whose patterns or normalizer exceed the limits
	// on time and size.
	ErrUnsupported = errors.New("not supported")

	// ErrNoChatTemplate is wrapped by the errors of [Tokenizer.ApplyChatTemplate] and
	// [Tokenizer.RenderChat] for a model without a chat template.
	ErrNoChatTemplate = errors.New("the tokenizer has no chat template: put one beside tokenizer.json (chat_template.jinja)")
)

func unsupported(part, what string) error {
	return fmt.Errorf("%s %s is %w", part, what, ErrUnsupported)
}

// limitation marks an error with a message of its own as ErrUnsupported.
type limitation struct{ error }

func (limitation) Is(target error) bool { return target == ErrUnsupported }
func (l limitation) Unwrap() error      { return l.error }

// failure carries an error out of the loops over pieces, as a panic that Encode and Load turn back into
// an error.
type failure struct{ err error }

// giveUp ends an encoding that a file's pattern or normalizer makes impossible.
func giveUp(err error) {
	if err != nil {
		panic(failure{limitation{err}})
	}
}

// caught is deferred by Encode and Load. It turns giveUp's panic into an error and lets others through.
func caught(err *error) {
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

func checkGrowth(text string, from int) {
	if len(text) > maxGrowthFactor*from+freeGrowthBytes {
		giveUp(errGrowth)
	}
}
