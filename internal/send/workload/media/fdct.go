package media

// fdct is libjpeg's exact cosine transform of whole numbers (jfdctint.c; the algorithm of
// Loeffler, Ligtenberg and Moschytz). Its results are eight times too large.
func fdct(b *[64]int32) {
	for y := 0; y < 64; y += 8 {
		r := (*[8]int32)(b[y:])
		dct8(r, 0)
	}
	var c [8]int32
	for x := range 8 {
		for k := range c {
			c[k] = b[8*k+x]
		}
		dct8(&c, 4)
		for k, v := range c {
			b[8*k+x] = v
		}
	}
}

// dct8 transforms eight numbers. The first pass (extra 0) leaves two bits more than there
// are, and the second (extra 4) takes them away.
func dct8(b *[8]int32, extra uint) {
	t0, t7 := b[0]+b[7], b[0]-b[7]
	t1, t6 := b[1]+b[6], b[1]-b[6]
	t2, t5 := b[2]+b[5], b[2]-b[5]
	t3, t4 := b[3]+b[4], b[3]-b[4]
	t10, t13, t11, t12 := t0+t3, t0-t3, t1+t2, t1-t2
	if extra == 0 {
		b[0], b[4] = (t10+t11)<<2, (t10-t11)<<2
	} else {
		b[0], b[4] = (t10+t11+2)>>2, (t10-t11+2)>>2
	}
	shift := 11 + extra
	round := int32(1) << (shift - 1)
	z1 := (t12 + t13) * 4433
	b[2] = (z1 + t13*6270 + round) >> shift
	b[6] = (z1 - t12*15137 + round) >> shift

	z1, z2, z3, z4 := t4+t7, t5+t6, t4+t6, t5+t7
	z5 := (z3 + z4) * 9633
	t4, t5, t6, t7 = t4*2446, t5*16819, t6*25172, t7*12299
	z1, z2, z3, z4 = -z1*7373, -z2*20995, z5-z3*16069, z5-z4*3196
	b[7] = (t4 + z1 + z3 + round) >> shift
	b[5] = (t5 + z2 + z4 + round) >> shift
	b[3] = (t6 + z2 + z3 + round) >> shift
	b[1] = (t7 + z1 + z4 + round) >> shift
}
