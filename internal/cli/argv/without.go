package argv

import "slices"

// Without returns the arguments without those flags and their values: what a command
// hands on to another one. Call it with arguments that were parsed without error.
func (s *Set) Without(args []string, names ...string) []string {
	found, _, _ := s.scan(args)
	drop := make([]bool, len(args))
	for _, o := range found {
		if !slices.Contains(names, o.flag.Name) {
			continue
		}
		drop[o.arg] = true
		for i := range o.values {
			if !o.inline && o.flag.arity != triValue {
				drop[o.arg+1+i] = true
			}
		}
	}
	var kept []string
	for i, arg := range args {
		if !drop[i] {
			kept = append(kept, arg)
		}
	}
	return kept
}
