package spec

// Vocabulary is the two directions between the names of tokens and their ids.
type Vocabulary struct {
	IDs   map[string]int32
	Names []string // by id; "" where there is none
}

// read reads the vocab object. All names lie in one string: a hundred thousand small ones would cost
// more to allocate, and to walk for the garbage collector, than all the rest of loading.
func (v *Vocabulary) read(s *scanner) error {
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
	v.IDs = make(map[string]int32, len(entries))
	v.Names = make([]string, size)
	from, all := 0, string(joined)
	for _, e := range entries {
		name := all[from:e.end]
		v.IDs[name], v.Names[e.id] = e.id, name
		from = e.end
	}
	return nil
}

// ID is the token of that name, or -1.
func (v *Vocabulary) ID(name string) int32 {
	if id, ok := v.IDs[name]; ok {
		return id
	}
	return -1
}

// NewVocabulary numbers names from 0. Of two that are the same, the later has the name.
func NewVocabulary(names []string) Vocabulary {
	v := Vocabulary{IDs: make(map[string]int32, len(names)), Names: names}
	for id, name := range names {
		v.IDs[name] = int32(id)
	}
	return v
}
