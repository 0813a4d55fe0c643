package parquet

// The footer and the headers of pages are structures of Thrift in its compact form.
// The numbers of their fields are those of Parquet's specification.

// group is a written group of rows.
type group struct {
	rows   int
	chunks []place
}

// place is where a column of a group lies.
type place struct {
	offset              int64
	plain, packed, rows int
}

// Values of Parquet's enumerations.
const (
	physicalBool, physicalInt64, physicalDouble, physicalBytes = 0, 2, 5, 6

	optional                       = 1
	convertedUTF8, convertedMicros = 0, 10
	encodingPlain, encodingRLE     = 0, 3
	codecZstd                      = 6
	dataPage                       = 0
)

func (t Type) physical() int64 {
	switch t {
	case Float:
		return physicalDouble
	case Text:
		return physicalBytes
	case Bool:
		return physicalBool
	}
	return physicalInt64
}

// endGroup writes the columns of the rows so far.
func (w *Writer) endGroup() {
	g := group{rows: w.rows}
	for _, c := range w.columns {
		plain := c.page()
		packed := w.zip.EncodeAll(plain, nil)
		var t thrift
		t.begin()
		t.number(1, dataPage)
		t.number(2, int64(len(plain)))
		t.number(3, int64(len(packed)))
		t.structure(5)
		t.number(1, int64(w.rows))
		t.number(2, encodingPlain)
		t.number(3, encodingRLE)
		t.number(4, encodingRLE)
		t.end()
		t.end()
		p := place{offset: w.at, plain: len(t.out) + len(plain), packed: len(t.out) + len(packed), rows: w.rows}
		w.write(t.out)
		w.write(packed)
		g.chunks = append(g.chunks, p)
		c.reset()
	}
	w.groups = append(w.groups, g)
	w.rows = 0
}

// footer is the file's description of itself.
func (w *Writer) footer() []byte {
	rows := 0
	for _, g := range w.groups {
		rows += g.rows
	}
	var t thrift
	t.begin()
	t.number(1, 1) // version
	t.list(2, kindStruct, len(w.columns)+1)
	t.begin() // the root of the columns
	t.text(4, "schema")
	t.number(5, int64(len(w.columns)))
	t.end()
	for _, c := range w.columns {
		t.begin()
		t.number(1, c.Type.physical())
		t.number(3, optional)
		t.text(4, c.Name)
		switch c.Type {
		case Text:
			t.number(6, convertedUTF8)
		case Moment:
			t.number(6, convertedMicros)
		}
		t.end()
	}
	t.long(3, int64(rows))
	t.list(4, kindStruct, len(w.groups))
	for i := range w.groups {
		w.groups[i].describe(&t, w.columns)
	}
	t.text(6, "inferometer")
	t.end()
	return t.out
}

func (g *group) describe(t *thrift, columns []*chunk) {
	t.begin()
	t.list(1, kindStruct, len(g.chunks))
	total := 0
	for i, p := range g.chunks {
		total += p.plain
		t.begin()
		t.long(2, p.offset)
		t.structure(3)
		t.number(1, columns[i].Type.physical())
		t.list(2, kindInt32, 2)
		t.item(encodingPlain)
		t.item(encodingRLE)
		t.list(3, kindText, 1)
		t.itemText(columns[i].Name)
		t.number(4, codecZstd)
		t.long(5, int64(p.rows))
		t.long(6, int64(p.plain))
		t.long(7, int64(p.packed))
		t.long(9, p.offset)
		t.end()
		t.end()
	}
	t.long(2, int64(total))
	t.long(3, int64(g.rows))
	t.end()
}
