package journal

import (
	"reflect"
	"strings"
	"testing"
)

// Each text of a request that is ever shown is cleaned where it is read. Those that are not are named here.
func TestEveryWordOfARequestIsCleaned(t *testing.T) {
	data := map[string]bool{"Prompt": true, "Text": true, "PromptHash": true, "TextHash": true}
	const hostile = "a\x1b[31mb\r\nc"
	var r Request
	seen := 0
	each := func(visit func(name string, v reflect.Value)) {
		for _, of := range []reflect.Value{reflect.ValueOf(&r).Elem(), reflect.ValueOf(&r.Events).Elem()} {
			for i := range of.NumField() {
				if f := of.Type().Field(i); f.Type.Kind() == reflect.String && !data[f.Name] {
					visit(f.Name, of.Field(i))
				}
			}
		}
	}
	each(func(_ string, v reflect.Value) { v.SetString(hostile) })
	r.clean()
	each(func(name string, v reflect.Value) {
		seen++
		if strings.ContainsAny(v.String(), "\x1b\r\n") {
			t.Errorf("%s is %q", name, v.String())
		}
	})
	if seen < 7 {
		t.Errorf("%d words were looked at", seen)
	}
}
