package tokenizer

// vocabulary is the two directions between the names of tokens and their ids.
type vocabulary struct {
	ids   map[string]int32
	names []string // by id; "" where there is none
}

// read reads the vocab object. All names lie in one string: a hundred thousand small ones would cost
// more to allocate, and to walk for the garbage collector, than all the rest of loading.
func (v *vocabulary) read(s *scanner) error {
	type entry struct {
		end int // of the name, which starts where the one before ends
		id  int32
	}
	var (
		entries []entry
		joined  []byte
		size    int32
	)
	s.list('{', '}', func() {
		joined = s.text(joined)
		s.take(':')
		id := s.id()
		entries = append(entries, entry{len(joined), id})
		size = max(size, id+1)
	})
	if s.err != nil {
		return s.err
	}
	v.ids = make(map[string]int32, len(entries))
	v.names = make([]string, size)
	from, all := 0, string(joined)
	for _, e := range entries {
		name := all[from:e.end]
		v.ids[name], v.names[e.id] = e.id, name
		from = e.end
	}
	return nil
}

// id is the token of that name, or -1.
func (v *vocabulary) id(name string) int32 {
	if id, ok := v.ids[name]; ok {
		return id
	}
	return -1
}
