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
	for _, more := range []string{"blue", "black"} { // each beside the other
		if got := colours.With(more).Names(); !slices.Equal(got, []string{"red", "green", more}) {
			t.Errorf("%v", got)
		}
	}
	if !slices.Equal(colours.All(), []string{"red", "green"}) {
		t.Errorf("%v", colours.All())
	}
	defer func() {
		if recover() == nil {
			t.Error("a name can be taken twice")
		}
	}()
	colours.With("red")
}
