package verdict

// Manual is a check in words: what a verdict's reason means.
type Manual struct {
	Name, Group string
	Looks       string // what it looks for
	Threshold   string
	Hint        string // what to do
}

// Manuals are all checks, in the order in which they are shown.
func Manuals() (all []Manual) {
	for _, e := range table() {
		all = append(all, Manual{e.name, e.group, e.looks, e.limits.String(), e.hint})
	}
	return all
}
