package media

import "math/bits"

// JPEG encodes RGB pixels, three bytes each, row by row, into the same bytes as libjpeg
// at its defaults, which is what Pillow writes: quality 75, 4:2:0, the DCT of integers,
// Huffman codes of the standard. Go's own encoder takes other roundings.
func JPEG(rgb []byte, width, height int) []byte {
	e := &jpegEncoder{out: make([]byte, 0, 700+len(rgb)/4)}
	e.header(width, height)
	y, cb, cr := e.planes(rgb, width, height)
	rows, cols := (height+15)/16, (width+15)/16
	for row := range rows {
		for col := range cols {
			e.mcu(y, row, col, 2, 0)
			e.mcu(cb, row, col, 1, 1)
			e.mcu(cr, row, col, 1, 2)
		}
	}
	e.flush()
	return append(e.out, 0xff, 0xd9)
}

// plane is one component, filled up to whole blocks.
type plane struct {
	pix          []byte
	width        int // of pix
	blocks, rows int // how many blocks it has, across and down
}

func newPlane(width, height int) *plane {
	p := &plane{blocks: (width + 7) / 8, rows: (height + 7) / 8}
	p.width = p.blocks * 8
	p.pix = make([]byte, p.width*p.rows*8)
	return p
}

// planes turns colours into brightness and two differences, of which each stands for
// four pixels. Edges are filled with what stands last.
func (e *jpegEncoder) planes(rgb []byte, width, height int) (y, cb, cr *plane) {
	y = newPlane(width, height)
	cb, cr = newPlane((width+1)/2, (height+1)/2), newPlane((width+1)/2, (height+1)/2)
	// Two rows of differences at a time, as wide as the blocks that they fill.
	wide := 2 * cb.width
	var b, r [2][]byte
	for i := range b {
		b[i], r[i] = make([]byte, wide), make([]byte, wide)
	}
	for row := 0; row < height; row++ {
		line, db, dr := y.pix[row*y.width:], b[row%2], r[row%2]
		for x := range width {
			p := rgb[3*(row*width+x):]
			line[x], db[x], dr[x] = toYCC(int32(p[0]), int32(p[1]), int32(p[2]))
		}
		fill(line[:y.width], width)
		fill(db, width)
		fill(dr, width)
		if row == height-1 && row%2 == 0 { // the last row stands for the one below it too
			copy(b[1], db)
			copy(r[1], dr)
		}
		if row == height-1 || row%2 == 1 {
			halve(cb.pix[row/2*cb.width:][:cb.width], b[0], b[1])
			halve(cr.pix[row/2*cr.width:][:cr.width], r[0], r[1])
		}
	}
	y.fillBelow(height)
	cb.fillBelow((height + 1) / 2)
	cr.fillBelow((height + 1) / 2)
	return y, cb, cr
}

func toYCC(r, g, b int32) (y, cb, cr byte) {
	const half, centre = 1 << 15, 128<<16 + 1<<15 - 1
	return byte((19595*r + 38470*g + 7471*b + half) >> 16),
		byte((-11059*r - 21709*g + 32768*b + centre) >> 16),
		byte((32768*r - 27439*g - 5329*b + centre) >> 16)
}

func fill(line []byte, from int) {
	for x := from; x < len(line); x++ {
		line[x] = line[from-1]
	}
}

// halve takes the mean of four pixels, rounded down and up in turn.
func halve(dst, above, below []byte) {
	bias := 1
	for x := range dst {
		dst[x] = byte((int(above[2*x]) + int(above[2*x+1]) + int(below[2*x]) + int(below[2*x+1]) + bias) >> 2)
		bias ^= 3
	}
}

func (p *plane) fillBelow(height int) {
	last := p.pix[(height-1)*p.width : height*p.width]
	for row := height; row < p.rows*8; row++ {
		copy(p.pix[row*p.width:], last)
	}
}

type jpegEncoder struct {
	out   []byte
	bits  uint64 // not yet written, from below
	n     uint   // how many
	lastY [3]int32
	block [64]int32
}

// mcu encodes a component's share of a 16 × 16 square: size × size blocks. Blocks beyond
// the image's edge have the brightness of the one before, and nothing else.
func (e *jpegEncoder) mcu(p *plane, row, col, size, component int) {
	before := int32(0)
	for v := range size {
		for h := range size {
			y, x := row*size+v, col*size+h
			if y < p.rows && x < p.blocks {
				e.load(p, y, x)
				fdct(&e.block)
				e.quantize(component)
				before = e.block[0]
			} else {
				e.block = [64]int32{before}
			}
			e.huffman(component)
		}
	}
}

func (e *jpegEncoder) load(p *plane, row, col int) {
	for y := range 8 {
		line := p.pix[(row*8+y)*p.width+col*8:][:8]
		for x, v := range line {
			e.block[8*y+x] = int32(v) - 128
		}
	}
}

// quantize divides by the table, eight times as large as it is written, and rounds. To
// multiply by the inverse gives the same for numbers of 17 bits.
func (e *jpegEncoder) quantize(component int) {
	table := &divisors[min(component, 1)]
	for i, v := range e.block {
		d := table[i]
		sign := v >> 31
		size := uint64((v^sign)-sign) + d.half
		e.block[i] = (int32(size*d.inverse>>32) ^ sign) - sign
	}
}

// huffman writes a block: the change of its mean, then runs of zeros and what follows each.
func (e *jpegEncoder) huffman(component int) {
	which := min(component, 1)
	diff := e.block[0] - e.lastY[component]
	e.lastY[component] = e.block[0]
	e.value(&dcCodes[which], 0, diff)
	run := 0
	for k := 1; k < 64; k++ {
		v := e.block[zigzag[k]]
		if v == 0 {
			run++
			continue
		}
		for ; run > 15; run -= 16 {
			e.code(&acCodes[which], 0xf0)
		}
		e.value(&acCodes[which], run<<4, v)
		run = 0
	}
	if run > 0 {
		e.code(&acCodes[which], 0)
	}
}

// value writes the code of a number's length and then its bits.
func (e *jpegEncoder) value(t *[256]code, run int, v int32) {
	magnitude := v
	if v < 0 {
		magnitude, v = -v, v-1
	}
	n := bits.Len32(uint32(magnitude))
	e.code(t, run|n)
	e.put(uint64(v)&(1<<n-1), uint(n))
}

func (e *jpegEncoder) code(t *[256]code, symbol int) {
	c := t[symbol]
	e.put(uint64(c.bits), uint(c.size))
}

func (e *jpegEncoder) put(v uint64, n uint) {
	e.bits, e.n = e.bits<<n|v, e.n+n
	for e.n >= 8 {
		e.n -= 8
		b := byte(e.bits >> e.n)
		e.out = append(e.out, b)
		if b == 0xff {
			e.out = append(e.out, 0)
		}
	}
}

// flush fills the last byte with ones.
func (e *jpegEncoder) flush() {
	if e.n > 0 {
		e.put(1<<(8-e.n)-1, 8-e.n)
	}
}
