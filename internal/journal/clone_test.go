package journal

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fillAll sets every field of a value, with a list of two where it is one.
func fillAll(t *testing.T, v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fillAll(t, v.Field(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillAll(t, v.Index(i), n)
		}
	case reflect.String:
		v.SetString("text " + strconv.Itoa(*n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint16:
		v.SetUint(uint64(*n))
	case reflect.Bool:
		v.SetBool(true)
	default:
		t.Fatalf("a %s: teach this test", v.Kind())
	}
}

// shared calls see with each place that two values have in common.
func shared(name string, a, b reflect.Value, see func(string)) {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			shared(name+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i), see)
		}
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if a.Pointer() == b.Pointer() {
			see(name)
		}
	}
}

func TestACloneSharesNothing(t *testing.T) {
	var r Request
	fillAll(t, reflect.ValueOf(&r).Elem(), new(int))
	c := r.Clone()
	if diff := cmp.Diff(r, c); diff != "" {
		t.Errorf("(-original +clone):\n%s", diff)
	}
	shared("Request", reflect.ValueOf(r), reflect.ValueOf(c), func(name string) { t.Errorf("%s is shared", name) })
	seen := 0
	shared("Request", reflect.ValueOf(r), reflect.ValueOf(r), func(string) { seen++ })
	if seen < 11 {
		t.Errorf("%d fields could be shared", seen)
	}
}

// TestACodecKnowsEachField: what is written with every field set is what encoding/json reads and writes.
func TestACodecKnowsEachField(t *testing.T) {
	var r Request
	fillAll(t, reflect.ValueOf(&r).Elem(), new(int))
	line := AppendRequest(nil, &r)
	want, err := encode(Line{Request: &r})
	if err != nil {
		t.Fatal(err)
	}
	if string(line) != string(want) {
		t.Errorf("%s\nencoding/json writes\n%s", line, want)
	}
	var got Request
	if !decodeRequest(line[:len(line)-1], &got, new(Events)) {
		t.Fatalf("not read: %s", line)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTagsOfBounds(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var look func(typ reflect.Type)
	look = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			look(typ.Elem())
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			for i := range typ.NumField() {
				f := typ.Field(i)
				if bound := f.Tag.Get("bound"); bound != "" && byTag[bound] == nil {
					t.Errorf("%s.%s has no bound %q", typ, f.Name, bound)
				}
				if text, ok := f.Tag.Lookup("max"); ok {
					if n, err := strconv.Atoi(text); err != nil || n <= 0 {
						t.Errorf("%s.%s: max is %q", typ, f.Name, text)
					}
				}
				look(f.Type)
			}
		}
	}
	look(reflect.TypeFor[Line]())
	if len(seen) < 25 {
		t.Errorf("%d structs were looked at", len(seen))
	}
}
