package tree

import (
	"reflect"
	"testing"
	"time"
)

func TestSpawned(t *testing.T) {
	const s = time.Second
	root, sub := Branch{Name: "root", Kind: Root, Parent: -1}, Branch{Name: "sa:b", Since: 3 * s}
	whole := &Tree{
		At:       5 * s,
		Branches: []Branch{root, {Name: "sa:a", Parent: -1}, sub},
		Turns: []Turn{
			{Branch: 1},
			{Branch: 0, At: 2 * s},
			{Branch: 1, At: 3 * s, Parents: []Parent{{Turn: 0}}},
			{Branch: 2, At: 4 * s, Parents: []Parent{{Turn: 1, Edge: Spawn}}},
			{Branch: 0, At: 6 * s, Parents: []Parent{{Turn: 1}, {Turn: 3, Edge: Join}, {Turn: 2, Edge: Barrier}}},
		},
	}
	sub.Since = s
	want := &Tree{
		At:       7 * s,
		Branches: []Branch{root, sub},
		Turns: []Turn{
			{Branch: 0},
			{Branch: 1, At: 2 * s, Parents: []Parent{{Turn: 0, Edge: Spawn}}},
			{Branch: 0, At: 4 * s, Parents: []Parent{{Turn: 0}, {Turn: 1, Edge: Join}}},
		},
	}
	if got := whole.Spawned(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, not %+v", got, want)
	}
	if got := want.Spawned(); got != want {
		t.Errorf("a tree without such a branch is %+v", got)
	}
}
