package main

import "testing"

// A mutation whose text the code has moved away from would be passed over in silence.
func TestTableApplies(t *testing.T) {
	t.Parallel()
	dir, err := root()
	if err != nil {
		t.Fatal(err)
	}
	const fewest = 40
	all, seen := table(), map[string]bool{}
	if len(all) < fewest {
		t.Errorf("%d mutations, of at least %d", len(all), fewest)
	}
	for i := range all {
		m := &all[i]
		if _, err := m.apply(dir); err != nil {
			t.Error(err)
		}
		if seen[m.File+m.Old+m.New] || m.Breaks == "" {
			t.Errorf("%s: a mutation is there twice, or does not say what it breaks: %s", m.File, m.Old)
		}
		seen[m.File+m.Old+m.New] = true
	}
}
