package tokenizer

import (
	"errors"
	"fmt"
)

// A file may hold a pattern or a rewriting that no text survives. Deep inside the loops
// over pieces that is a panic, which Encode and Load turn into their error.
type failure struct{ err error }

// giveUp ends the encoding, if there is an error.
func giveUp(err error) {
	if err != nil {
		panic(failure{fmt.Errorf("%w; %s", err, instead)})
	}
}

// caught is for a defer: it makes an error of giveUp's panic, and of no other.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.err
	default:
		panic(r)
	}
}

// A normalizer may lengthen a text: by a mark here, a longer form there. What makes
// far more of it is no normalizer.
const (
	mostGrowth = 64
	freeGrowth = 1 << 16
)

var errGrowth = errors.New("the normalizer makes the text grow without end")

func bounded(text string, from int) {
	if len(text) > mostGrowth*from+freeGrowth {
		giveUp(errGrowth)
	}
}
