package report

// object is a JSON object whose keys have an order, as a Python dict has.
type object []member

type member struct {
	key   string
	value any
}

// Len and Member make it a pyjson.Dict.
func (o object) Len() int                   { return len(o) }
func (o object) Member(i int) (string, any) { return o[i].key, o[i].value }

// set gives a key its value. A key that is there keeps its place, as in Python.
func (o *object) set(key string, value any) {
	for i := range *o {
		if (*o)[i].key == key {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, member{key, value})
}

// remove takes a key out, wherever it is.
func (o *object) remove(key string) {
	for i := range *o {
		if (*o)[i].key == key {
			*o = append((*o)[:i], (*o)[i+1:]...)
			return
		}
	}
}
