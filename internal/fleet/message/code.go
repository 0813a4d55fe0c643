package message

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/inferometer/inferometer/internal/outside"
)

// Most is the longest message, in bytes: a Spec with its files' names.
const Most = 1 << 20

// Others are shorter: a leader gets them from many.
const (
	mostHello  = 64 << 10
	MostStatus = 256 << 10
	mostAnswer = MostStatus + 64<<10
)

// checked is a message that knows its bounds. clean makes its words safe to show.
type checked interface {
	most() int
	clean()
	check() error
}

func (h *Hello) most() int  { return mostHello }
func (a *Ask) most() int    { return Most }
func (a *Answer) most() int { return mostAnswer }
func (s *Status) most() int { return MostStatus }

// Encode gives a message as JSON. What nobody would take is not sent.
func Encode[T Hello | Ask | Answer | Status](m *T) ([]byte, error) {
	c := any(m).(checked)
	if err := c.check(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(m)
	if err == nil && len(b) > c.most() {
		err = fmt.Errorf("a message of %d bytes is too long: at most %d", len(b), c.most())
	}
	return b, err
}

// Decode reads a message, and nothing else than one. Its words are made safe to show.
func Decode[T Hello | Ask | Answer | Status](b []byte) (*T, error) {
	m := new(T)
	c := any(m).(checked)
	if len(b) > c.most() {
		return nil, fmt.Errorf("a message of %d bytes is too long: at most %d", len(b), c.most())
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("it is no message: %s", outside.Sentence(err.Error()))
	}
	if d.More() {
		return nil, fmt.Errorf("it is no message: more follows it")
	}
	c.clean()
	if err := c.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// id is what ids and the names of runs are made of: they stand in subjects and paths.
var id = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// CheckID says whether a text can be an id.
func CheckID(text string) error {
	if !id.MatchString(text) {
		return fmt.Errorf("%q is no id: up to 64 letters, digits, - and _", outside.Word(text))
	}
	return nil
}
