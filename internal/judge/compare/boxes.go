package compare

// Box is one place of the comparison's table, for a page that lays it out itself.
type Box struct {
	Text string
	Best bool // of its line
	Left bool // words, not a number
}

// Boxes are the lines of the table, the header first.
func (c *Comparison) Boxes() [][]Box {
	var out [][]Box
	for _, line := range c.grid() {
		boxes := make([]Box, len(line))
		for i, b := range line {
			boxes[i] = Box{b.text, b.best, isLeft(i)}
		}
		out = append(out, boxes)
	}
	return out
}
