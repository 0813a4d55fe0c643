package option

import (
	"slices"
	"testing"
)

func TestTable(t *testing.T) {
	colours := NewTable("colour", func(s string) string { return s }, "red", "green")
	if found, err := colours.Find("green"); err != nil || found != "green" {
		t.Errorf("%s, %v", found, err)
	}
	if _, err := colours.Find("grey"); err == nil || err.Error() != `colour "grey" is unknown: use one of red, green` {
		t.Error(err)
	}
	remove := colours.Register("blue")
	if !slices.Equal(colours.Names(), []string{"red", "green", "blue"}) {
		t.Errorf("%v", colours.All())
	}
	remove()
	if !slices.Equal(colours.All(), []string{"red", "green"}) {
		t.Errorf("%v", colours.All())
	}
	defer func() {
		if recover() == nil {
			t.Error("a name can be taken twice")
		}
	}()
	colours.Register("red")
}
