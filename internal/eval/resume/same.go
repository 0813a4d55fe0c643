package resume

import (
	"errors"
	"fmt"

	"github.com/inferometer/inferometer/internal/journal"
	"github.com/inferometer/inferometer/internal/outside"
)

// Same refuses to go on where the answers would be of two things: another model, or
// other questions.
func (e *Earlier) Same(task *journal.Task, sentModel string, serves []journal.Served) error {
	then := e.run
	if then == nil {
		return nil // nothing was asked
	}
	if then.Task == nil {
		return fmt.Errorf("the journal in %s is of no questions", e.Folder)
	}
	if err := sameTask(then.Task, task); err != nil {
		return err
	}
	if then.Options.SentModel != outside.Word(sentModel) {
		return fmt.Errorf("the questions were put to the model %s, and the server has %s now", then.Options.SentModel, outside.Word(sentModel))
	}
	return sameServed(then.Serves, serves, then.Options.SentModel)
}

// sameTask says in which way two tasks differ. The hash is of all questions, with what is right.
func sameTask(then, now *journal.Task) error {
	switch {
	case then.Name != outside.Word(now.Name):
		return fmt.Errorf("the run asks the task %s, and this is %s", then.Name, outside.Word(now.Name))
	case then.SHA != now.SHA || then.Asked != now.Asked:
		return fmt.Errorf("the questions of %s have changed since then (%d then, %d now): begin a new run", then.Name, then.Asked, now.Asked)
	case then.Shots != now.Shots || then.Chat != now.Chat || then.Seed != now.Seed || then.Kind != now.Kind:
		return errors.New("the questions are put in another way than then: begin a new run")
	}
	return nil
}

// sameServed holds what a server says of its model against what it said then, as far as it tells.
func sameServed(then, now []journal.Served, model string) error {
	a, b := servedAs(then, model), servedAs(now, model)
	if a == nil || b == nil {
		return nil
	}
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	switch {
	case differ(a.ID, b.ID):
		return fmt.Errorf("the server serves %s now, and served %s then", b.ID, a.ID)
	case differ(a.Root, b.Root):
		return fmt.Errorf("the server loads %s from %s now, and from %s then", b.ID, b.Root, a.Root)
	case a.Params > 0 && b.Params > 0 && a.Params != b.Params, a.Bytes > 0 && b.Bytes > 0 && a.Bytes != b.Bytes:
		return fmt.Errorf("the server's model %s has another size than then: %d parameters in %d bytes, and %d in %d then", b.ID, b.Params, b.Bytes, a.Params, a.Bytes)
	}
	return nil
}

// servedAs is the list's entry of a model, or its first: some servers take any name. nil: it is empty.
func servedAs(list []journal.Served, model string) *journal.Served {
	for i := range list {
		if list[i].ID == model {
			return &list[i]
		}
	}
	if len(list) > 0 {
		return &list[0]
	}
	return nil
}
