package argv

// Without returns the arguments without the flags that drop names, each with its
// values: what a command hands on to another one. Call it with arguments that were
// parsed without error.
func (s *Set) Without(args []string, drop func(*Flag) bool) []string {
	gone := make([]bool, len(args))
	found, _, _, _ := s.scan(args)
	for _, o := range found {
		if !drop(o.flag) {
			continue
		}
		gone[o.arg] = true
		if o.bare || o.inline || o.flag.arity == NoValue || o.flag.arity == triValue {
			continue
		}
		for i := range o.values {
			gone[o.arg+1+i] = true
		}
	}
	var kept []string
	for i, a := range args {
		if !gone[i] {
			kept = append(kept, a)
		}
	}
	return kept
}
