package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/target"
)

// List is all faults of a run, as it was written.
type List []Fault

// SetTexts reads "10s: COMMAND" and "500 requests: COMMAND". A command is given to the shell.
func (l *List) SetTexts(texts []string) error {
	*l = nil
	for _, text := range texts {
		when, command, ok := strings.Cut(text, ":")
		command = strings.TrimSpace(command)
		if !ok || command == "" {
			return fmt.Errorf("needs a time and a command, as in \"10s: kubectl delete pod llm-0\", not %q", text)
		}
		f := Fault{Do: Command, Args: target.Shell(command)}
		var err error
		if number, isCount := strings.CutSuffix(strings.TrimSpace(when), " requests"); isCount {
			f.After, err = option.ParseInt(number)
			if err == nil && f.After < 1 {
				err = fmt.Errorf("needs at least one request, not %d", f.After)
			}
		} else {
			f.At, err = option.ParseDuration(when)
		}
		if err != nil {
			return fmt.Errorf("%w (before the colon; a number of requests is written \"500 requests: COMMAND\")", err)
		}
		*l = append(*l, f)
	}
	return l.Check()
}

// Texts has the commands that are given to the shell.
func (l *List) Texts() (texts []string) {
	for _, f := range *l {
		command, ok := target.ShellText(f.Args)
		if f.Do != Command || !ok {
			continue
		}
		when := f.At.String()
		if f.After > 0 {
			when = fmt.Sprintf("%d requests", f.After)
		}
		texts = append(texts, when+": "+command)
	}
	return texts
}

// Check says what is wrong with the faults.
func (l List) Check() error {
	if len(l) > maxFaults {
		return fmt.Errorf("are %d: at most %d", len(l), maxFaults)
	}
	for i := range l {
		if err := l[i].Check(); err != nil {
			return fmt.Errorf("number %d: %w", i+1, err)
		}
	}
	return nil
}

// Commands says whether one of them is a command.
func (l List) Commands() bool {
	for _, f := range l {
		if f.Do == Command {
			return true
		}
	}
	return false
}

// written is a fault as JSON, with spans of time as texts.
type written struct {
	At    string   `json:"at,omitempty"`
	After int      `json:"after,omitempty"`
	Do    string   `json:"do"`
	On    string   `json:"on,omitempty"`
	For   string   `json:"for,omitempty"`
	By    string   `json:"by,omitempty"`
	How   string   `json:"how,omitempty"`
	To    int      `json:"to,omitempty"`
	Name  string   `json:"name,omitempty"`
	Path  string   `json:"path,omitempty"`
	Args  []string `json:"args,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (f Fault) MarshalJSON() ([]byte, error) {
	span := func(d time.Duration) string {
		if d == 0 {
			return ""
		}
		return d.String()
	}
	return json.Marshal(written{span(f.At), f.After, f.Do, f.On, span(f.For), span(f.By), f.How, f.To, f.Name, f.Path, f.Args})
}

// UnmarshalJSON implements json.Unmarshaler. A key that is not known is an error.
func (f *Fault) UnmarshalJSON(b []byte) error {
	var w written
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return err
	}
	var errs []error
	span := func(text string) time.Duration {
		if text == "" {
			return 0
		}
		s, err := option.ParseDuration(text)
		errs = append(errs, err)
		return s
	}
	*f = Fault{span(w.At), w.After, w.Do, w.On, span(w.For), span(w.By), w.How, w.To, w.Name, w.Path, w.Args}
	return errors.Join(errs...)
}
