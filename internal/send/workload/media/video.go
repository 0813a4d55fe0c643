package media

import "encoding/binary"

// framesPerSecond is that of vLLM's videos.
const framesPerSecond = 30

// Video puts frames of pixels, blue, green and red as OpenCV has them, into an MP4 file
// of which each frame is a JPEG (Motion JPEG). vLLM's client writes MPEG-4 Part 2
// instead; ffmpeg, and so OpenCV and PyAV, read both.
func Video(bgr []byte, width, height, frames int) []byte {
	size := 3 * width * height
	rgb := make([]byte, size)
	var samples [][]byte
	for f := range frames {
		frame := bgr[f*size : (f+1)*size]
		for i := 0; i < size; i += 3 {
			rgb[i], rgb[i+1], rgb[i+2] = frame[i+2], frame[i+1], frame[i]
		}
		samples = append(samples, JPEG(rgb, width, height))
	}
	return mp4(samples, width, height)
}

// box is an atom of an MP4 file.
func box(name string, parts ...[]byte) []byte {
	b := append(make([]byte, 4), name...)
	for _, p := range parts {
		b = append(b, p...)
	}
	binary.BigEndian.PutUint32(b, uint32(len(b)))
	return b
}

// u32 and u16 are numbers of 32 and 16 bits.
func u32(values ...uint32) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	return b
}

func u16(values ...uint16) (b []byte) {
	for _, v := range values {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

// unity is a matrix that leaves the picture as it is.
func unity() []byte { return u32(1<<16, 0, 0, 0, 1<<16, 0, 0, 0, 1<<30) }

// mp4 writes a file with one track of video.
func mp4(samples [][]byte, width, height int) []byte {
	const timescale, tick = 15360, 15360 / framesPerSecond
	n := uint32(len(samples))
	length := n * tick
	head := box("ftyp", []byte("isom"), u32(0x200), []byte("isomiso2mp41"))
	first := uint32(len(head) + 8) // the data comes before what describes it
	sizes, data := u32(0, 0, n), []byte(nil)
	for _, s := range samples {
		sizes = append(sizes, u32(uint32(len(s)))...)
		data = append(data, s...)
	}
	table := box("stbl",
		box("stsd", u32(0, 1), sampleEntry(width, height)),
		box("stts", u32(0, 1, n, tick)),
		box("stsc", u32(0, 1, 1, n, 1)),
		box("stsz", sizes),
		box("stco", u32(0, 1, first)),
	)
	information := box("minf",
		box("vmhd", u32(1, 0, 0)),
		box("dinf", box("dref", u32(0, 1), box("url ", u32(1)))),
		table,
	)
	mediaBox := box("mdia",
		box("mdhd", u32(0, 0, 0, timescale, length), u16(0x55c4, 0)),
		box("hdlr", u32(0, 0), []byte("vide"), u32(0, 0, 0), []byte("video\x00")),
		information,
	)
	track := box("trak",
		box("tkhd", u32(3, 0, 0, 1, 0, length, 0, 0), u16(0, 0, 0, 0), unity(), u32(uint32(width)<<16, uint32(height)<<16)),
		mediaBox,
	)
	movie := box("moov",
		box("mvhd", u32(0, 0, 0, timescale, length, 1<<16), u16(0x100, 0), u32(0, 0), unity(), u32(0, 0, 0, 0, 0, 0, 2)),
		track,
	)
	out := make([]byte, 0, len(head)+8+len(data)+len(movie))
	out = append(out, head...)
	out = append(append(out, u32(uint32(8+len(data)))...), "mdat"...)
	out = append(out, data...)
	return append(out, movie...)
}

// sampleEntry says that each sample is a JPEG (object type 0x6c of MPEG-4).
func sampleEntry(width, height int) []byte {
	const jpegType, visual = 0x6c, 0x11 // a visual stream
	config := append([]byte{0x04, 13, jpegType, visual, 0, 0, 0}, u32(0, 0)...)
	descriptor := append([]byte{0x03, byte(3 + len(config) + 3), 0, 1, 0}, config...)
	descriptor = append(descriptor, 0x06, 1, 0x02)
	return box("mp4v",
		u32(0), u16(0, 1), // reserved; where the data lies
		u16(0, 0), u32(0, 0, 0), u16(uint16(width), uint16(height)),
		u32(72<<16, 72<<16, 0), u16(1), make([]byte, 32), u16(24, 0xffff),
		box("esds", u32(0), descriptor),
	)
}
