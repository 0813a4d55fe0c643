package media

// fdct is libjpeg's exact cosine transform of whole numbers (jfdctint.c; the algorithm of
// Loeffler, Ligtenberg and Moschytz). Its results are eight times too large.
func fdct(b *[64]int32) {
	for y := range 8 {
		dct8(b, 8*y, 1, false)
	}
	for x := range 8 {
		dct8(b, x, 8, true)
	}
}

// dct8 transforms eight numbers that lie step apart. The first pass leaves two bits more
// than there are, and the second takes them away.
func dct8(b *[64]int32, at, step int, second bool) {
	const scale = 13
	i := func(k int) int { return at + k*step }
	t0, t7 := b[i(0)]+b[i(7)], b[i(0)]-b[i(7)]
	t1, t6 := b[i(1)]+b[i(6)], b[i(1)]-b[i(6)]
	t2, t5 := b[i(2)]+b[i(5)], b[i(2)]-b[i(5)]
	t3, t4 := b[i(3)]+b[i(4)], b[i(3)]-b[i(4)]
	t10, t13, t11, t12 := t0+t3, t0-t3, t1+t2, t1-t2
	shift := uint(scale - 2)
	if second {
		shift = scale + 2
		b[i(0)], b[i(4)] = (t10+t11+2)>>2, (t10-t11+2)>>2
	} else {
		b[i(0)], b[i(4)] = (t10+t11)<<2, (t10-t11)<<2
	}
	round := int32(1) << (shift - 1)
	z1 := (t12 + t13) * 4433
	b[i(2)] = (z1 + t13*6270 + round) >> shift
	b[i(6)] = (z1 - t12*15137 + round) >> shift

	z1, z2, z3, z4 := t4+t7, t5+t6, t4+t6, t5+t7
	z5 := (z3 + z4) * 9633
	t4, t5, t6, t7 = t4*2446, t5*16819, t6*25172, t7*12299
	z1, z2, z3, z4 = -z1*7373, -z2*20995, z5-z3*16069, z5-z4*3196
	b[i(7)] = (t4 + z1 + z3 + round) >> shift
	b[i(5)] = (t5 + z2 + z4 + round) >> shift
	b[i(3)] = (t6 + z2 + z3 + round) >> shift
	b[i(1)] = (t7 + z1 + z4 + round) >> shift
}
