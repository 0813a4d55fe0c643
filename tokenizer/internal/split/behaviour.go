package split

// behaviour says what becomes of the delimiters that a Split finds.
type behaviour int

const (
	isolated           behaviour = iota // each is a piece
	removed                             // they are dropped
	mergedWithPrevious                  // each belongs to the text before it
	mergedWithNext                      // or after it
	contiguous                          // neighbours are one piece
)

// behaviours by the names of the file format.
var behaviours = map[string]behaviour{
	"Isolated":           isolated,
	"Removed":            removed,
	"MergedWithPrevious": mergedWithPrevious,
	"MergedWithNext":     mergedWithNext,
	"Contiguous":         contiguous,
}

// splitter cuts at what find finds.
func (b behaviour) splitter(find finder, invert bool) Splitter {
	return func(text string, dst []Span) []Span { return b.cut(text, dst, find(text, nil), invert) }
}

// cut cuts at matches; with invert the text between them is the delimiter.
func (b behaviour) cut(text string, dst, matches []Span, invert bool) []Span {
	last, before := 0, false // before: whether the piece before is a delimiter
	piece := func(s Span, delimiter bool) {
		if s.From == s.To || delimiter && b == removed {
			return
		}
		if n := len(dst) - 1; n >= 0 && b.joins(before, delimiter) {
			dst[n].To = s.To
		} else {
			dst = append(dst, s)
		}
		before = delimiter
	}
	for _, m := range matches {
		piece(Span{last, m.From}, invert)
		piece(m, !invert)
		last = m.To
	}
	piece(Span{last, len(text)}, invert)
	return dst
}

// joins is whether a piece goes on from the piece before it.
func (b behaviour) joins(before, delimiter bool) bool {
	switch b {
	case mergedWithPrevious:
		return delimiter && !before
	case mergedWithNext:
		return before && !delimiter
	case contiguous:
		return before == delimiter
	}
	return false
}
