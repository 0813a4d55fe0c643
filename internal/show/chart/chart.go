// Package chart draws the pictures of a report: lines, steps, points, bands and heat
// maps, as SVG for pages and as PNG for what shows no SVG. It knows nothing of what
// it draws.
//
//	Chart ─▶ layout (ticks, scales, a list of marks in pixels) ─▶ SVG or PNG
//
// Both pictures are made from the same marks, so that they show the same. In an SVG
// colours are classes: the page around it, or the picture's own style, decides for
// light and dark.
package chart

// Chart is one picture.
type Chart struct {
	Title         string
	X, Y          Axis
	Series        []Series
	Heat          *Heat   // under the series
	Events        []Event // upright lines and bands behind the series
	Width, Height int     // pixels; 0: 640 × 320
	Empty         string  // what to say where there is nothing to draw

	// For a page that lets its charts answer the mouse; the picture itself needs none of it.
	Together string // charts of one name have the same lower axis: they are zoomed and pointed at together
	Note     string // what is to be said below it, as what was left out
}

// Axis is one of the two.
type Axis struct {
	Label    string
	Log      bool // values at and below zero are left out
	Zero     bool // begins at zero
	Min, Max *float64
	Ticks    []Tick // in place of round numbers; those without room are left out
	Unit     string // behind a single value
	Time     bool   // seconds since 1970
}

// Tick is a place on an axis that is no round number: a day, a name.
type Tick struct {
	At    float64
	Label string
}

// Kind is how a series is drawn.
type Kind int

// The kinds.
const (
	Line Kind = iota
	Steps
	Points
	LinePoints
	Whiskers // points with a bar from Low to High along the lower axis, one below the other
	Spans    // lying bars from Low to High at Y, as high as a row, thin where Dashed
	Bars     // from Low, or from zero, up to Y; each begins at its X and is as wide as the one before it is away
)

// Series is one set of values. A NaN is a gap.
type Series struct {
	Name      string
	Kind      Kind
	X, Y      []float64
	Low, High []float64 // error bars of points, a band around a line; nil: none
	Labels    []string  // beside points; nil: none
	Hints     []string  // what a point says under the mouse, in place of its values; nil: those
	Links     []string  // where a point leads; nil: nowhere
	Dashed    bool
	Color     int // of the palette; 0: by the series' place
}

// Event is a moment on the lower axis, or a time from one moment to another, and what happened then.
type Event struct {
	From, To float64 // To is no later than From: a moment
	Label    string  // beside its line, where there is room
	Hint     string  // under the mouse
}

// Heat is counts in a grid of cells.
type Heat struct {
	XEdges, YEdges []float64 // one more than cells
	Counts         [][]float64
	Name           string // what is counted
}

const (
	usualWidth  = 640
	usualHeight = 320
)

func (c *Chart) size() (width, height int) {
	width, height = c.Width, c.Height
	if width <= 0 {
		width = usualWidth
	}
	if height <= 0 {
		height = usualHeight
	}
	return width, height
}
