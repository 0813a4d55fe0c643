package tokenizer

import (
	"errors"

	"github.com/inferometer/inferometer/tokenizer/internal/spec"
)

var (
	// ErrUnsupported is wrapped by the errors of [Load] for a tokenizer with a part that this package
	// does not implement, and by those of Encode for a file whose patterns or normalizer exceed the limits
	// on time and size.
	ErrUnsupported = spec.ErrUnsupported

	// ErrNoChatTemplate is wrapped by the errors of [Tokenizer.ApplyChatTemplate] and
	// [Tokenizer.RenderChat] for a model without a chat template.
	ErrNoChatTemplate = errors.New("the tokenizer has no chat template: put one beside tokenizer.json (chat_template.jinja)")
)
