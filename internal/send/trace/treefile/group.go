package treefile

import "encoding/json"

// grouper says which values of a file make a tree.
type grouper interface {
	// add looks at value n. It keeps nothing of its bytes.
	add(n int, value []byte) error
	// groups are the trees.
	groups() ([]group, error)
}

// group is a tree's values, and what tells it from others where values hold several.
type group struct {
	key    string
	values []int
}

// each makes a tree of every value.
type each struct{ n int }

func (e *each) add(int, []byte) error { e.n++; return nil }

func (e *each) groups() ([]group, error) {
	all := make([]group, e.n)
	for i := range all {
		all[i].values = []int{i}
	}
	return all, nil
}

func newEach() grouper { return &each{} }

// byKey makes a tree of the values with the same key, in their order.
type byKey[T any] struct {
	// key is that of a value; one that is empty makes a tree of its own. Skip passes over it.
	key   func(*T) (key string, skip bool)
	found map[string]int
	all   []group
}

func newByKey[T any](key func(*T) (string, bool)) func() grouper {
	return func() grouper { return &byKey[T]{key: key, found: map[string]int{}} }
}

func (k *byKey[T]) add(n int, value []byte) error {
	var v T
	if err := json.Unmarshal(value, &v); err != nil {
		return err
	}
	key, skip := k.key(&v)
	if skip {
		return nil
	}
	i, known := k.found[key]
	if key == "" || !known {
		i = len(k.all)
		k.all = append(k.all, group{key: key})
		if key != "" {
			k.found[key] = i
		}
	}
	k.all[i].values = append(k.all[i].values, n)
	return nil
}

func (k *byKey[T]) groups() ([]group, error) { return k.all, nil }
