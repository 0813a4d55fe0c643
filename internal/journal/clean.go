package journal

import (
	"reflect"
	"strconv"

	"github.com/inferometer/inferometer/internal/outside"
)

// A journal may be someone else's, or older than the cleaning of words where they
// enter. So its words are cleaned where it is read.

// maxText bounds a text of a journal's first and last line.
const maxText = 64 << 10

// clean is for each request, and so knows its fields. What was sent and what was
// generated are kept as they were: they are data and are not shown.
func (r *Request) clean() {
	r.ID, r.ServerID, r.FinishReason = outside.Word(r.ID), outside.Word(r.ServerID), outside.Word(r.FinishReason)
	r.Model = outside.Word(r.Model)
	r.Replica, r.Prefiller = outside.Word(r.Replica), outside.Word(r.Prefiller)
	r.Error = outside.Line(r.Error, 2*outside.MaxSentence)
	r.Outcome = Outcome(outside.Word(string(r.Outcome)))
	r.Events.TokensBy = outside.Word(r.Events.TokensBy)
}

// clean keeps the white space of arguments: some are JSON or a template.
func (r *Run) clean() {
	command, task := r.Command, r.Task
	r.Command, r.Task = nil, nil
	cleanValue(reflect.ValueOf(r))
	r.Task = task.clean()
	for i := range command {
		command[i] = outside.Text(command[i], maxText)
	}
	r.Command = command
}

func (e *End) clean() { cleanValue(reflect.ValueOf(e)) }

// clean drops a counter whose name is none.
func (s *Scrape) clean() {
	for name := range s.Counters {
		if outside.Word(name) != name {
			delete(s.Counters, name)
		}
	}
	for name, counts := range s.Buckets {
		if outside.Word(name) != name {
			delete(s.Buckets, name)
		}
		for bound := range counts {
			if _, err := strconv.ParseFloat(bound, 64); err != nil {
				delete(counts, bound)
			}
		}
	}
}

// cleanValue goes over all texts of a line that a journal has once.
func cleanValue(v reflect.Value) {
	if v.Type() == rawJSON { // it is not shown
		return
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			cleanValue(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				cleanValue(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			cleanValue(v.Index(i))
		}
	case reflect.Map:
		cleanMap(v)
	case reflect.String:
		if v.CanSet() {
			v.SetString(outside.Line(v.String(), maxText))
		}
	}
}

// cleanMap replaces a map's entries: they can't be changed in place.
func cleanMap(v reflect.Value) {
	for _, key := range v.MapKeys() {
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(v.MapIndex(key))
		cleanValue(value)
		name := reflect.New(v.Type().Key()).Elem()
		name.Set(key)
		cleanValue(name)
		v.SetMapIndex(key, reflect.Value{})
		v.SetMapIndex(name, value)
	}
}
