// Package numpy draws random numbers as NumPy and Python draw them, bit for
// bit, so that the same seed gives the same workload and the same schedule as a
// benchmark client written in Python.
//
// Three generators live here, because such a client uses three:
//
//   - [RandomState] is numpy.random's old global generator (MT19937). Arrival
//     gaps come from it, and the ids of the prefix_repetition dataset.
//   - [Python] is the random module (MT19937, seeded in another way). It shuffles
//     datasets and repeats their entries.
//   - [Generator] is numpy.random.default_rng (PCG64). The lengths and offsets of
//     the random dataset come from it.
//
// None is safe for use by several goroutines. Each can be copied with Clone to
// walk the same stream twice.
//
// The integers and uniform doubles are exact everywhere. Where a draw takes a
// logarithm or a power, Python uses the C library of its machine, whose results
// are not always the nearest double (glibc: about 8 of 10,000 logarithms are one
// unit in the last place off, and they depend on the processor). Log and Pow
// here give the nearest double, which is what every good C library gives almost
// always; Go's own math.Log differs from it in 7 of 100 cases.
package numpy
