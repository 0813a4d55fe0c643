package option

import (
	"fmt"
	"slices"
	"strings"
)

// Table is a list of choices by their names. It never changes.
type Table[T any] struct {
	noun string // what is chosen, as in "dataset"
	name func(T) string
	list []T
}

// NewTable lists the choices in the order in which help and documents show them.
func NewTable[T any](noun string, name func(T) string, list ...T) *Table[T] {
	return &Table[T]{noun, name, list}
}

// All lists the choices.
func (t *Table[T]) All() []T { return t.list }

// Names are the names of All.
func (t *Table[T]) Names() []string {
	names := make([]string, len(t.list))
	for i, choice := range t.list {
		names[i] = t.name(choice)
	}
	return names
}

// Find is the choice with this name.
func (t *Table[T]) Find(name string) (choice T, err error) {
	if i := slices.Index(t.Names(), name); i >= 0 {
		return t.list[i], nil
	}
	return choice, fmt.Errorf("%s %q is unknown: use one of %s", t.noun, short(name), strings.Join(t.Names(), ", "))
}

// With is the table with one more choice at its end; the table itself stays as it is.
func (t *Table[T]) With(choice T) *Table[T] {
	if _, err := t.Find(t.name(choice)); err == nil {
		panic(fmt.Sprintf("option: %s %s is there twice", t.noun, t.name(choice)))
	}
	return &Table[T]{t.noun, t.name, append(slices.Clone(t.list), choice)}
}
