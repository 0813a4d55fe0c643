package windows

import "encoding/binary"

// randomness is a bcryptprimitives.dll for a Wine that has none (before 8.5): Go's runtime asks it for random
// bytes and does not start without it. It has no code: its one function leads to the same one of advapi32.dll.
func randomness() []byte {
	const (
		headers = 0x200  // their size in the file, and that of the section
		section = 0x1000 // its address
		entries = section + 40
		names   = entries + 10
	)
	text := []string{"bcryptprimitives.dll\x00", "ProcessPrng\x00", "advapi32.SystemFunction036\x00"}
	at := []uint32{names, names + uint32(len(text[0])), names + uint32(len(text[0])+len(text[1]))}
	size := at[2] + uint32(len(text[2])) - section

	var b []byte
	put := func(values ...any) {
		for _, v := range values {
			b, _ = binary.Append(b, binary.LittleEndian, v) // all have a size
		}
	}
	pad := func(to int) { b = append(b, make([]byte, to-len(b))...) }
	put([]byte("MZ"))
	pad(0x3c)
	put(uint32(0x40), []byte("PE\x00\x00"))
	put(uint16(0x8664), uint16(1), [3]uint32{}, uint16(240), uint16(0x2022))                                           // amd64, one section, a DLL
	put(uint16(0x20b), uint16(14), uint32(0), uint32(headers), [2]uint32{}, uint32(section))                           // PE32+
	put(uint64(0x180000000), uint32(0x1000), uint32(headers), uint16(6), [3]uint16{}, uint16(6), uint16(0))            // alignment, versions
	put(uint32(0), uint32(2*section), uint32(headers), uint32(0), uint16(3), uint16(0x160))                            // sizes; a console's
	put(uint64(1<<20), uint64(1<<12), uint64(1<<20), uint64(1<<12), uint32(0), uint32(16))                             // stack and heap
	put(uint32(section), size, [15]uint64{})                                                                           // the table of exports
	put([]byte(".edata\x00\x00"), size, uint32(section), [2]uint32{headers, headers}, [3]uint32{}, uint32(0x40000040)) // data, to be read
	pad(headers)
	put([3]uint32{}, at[0], [3]uint32{1, 1, 1}, [3]uint32{entries, entries + 4, entries + 8}) // one function, with one name
	put(at[2], at[1], uint16(0))
	for _, s := range text {
		put([]byte(s))
	}
	pad(2 * headers)
	return b
}
