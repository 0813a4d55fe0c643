package wire

// readEnds follows what a connection reads, to say of each read whether it ended where
// something ended: a line of HTTP/1.1, or a record of TLS. If it did not, the kernel's
// time is that of bytes of which the rest is still to come.
type readEnds struct {
	begun   bool
	secret  bool    // it speaks TLS
	head    [5]byte // a record's header, of which so many bytes have come
	headLen int
	left    int // bytes left of a record
}

// lastRecordType is the highest first byte of a TLS record; texts begin with higher ones.
const lastRecordType = 0x18

// open takes in a read, and says whether it ended in the middle of something.
func (e *readEnds) open(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	if !e.begun {
		e.begun, e.secret = true, b[0] <= lastRecordType
	}
	if !e.secret {
		return b[len(b)-1] != '\n'
	}
	for len(b) > 0 {
		if e.left == 0 {
			n := copy(e.head[e.headLen:], b)
			e.headLen += n
			b = b[n:]
			if e.headLen < len(e.head) {
				return true
			}
			e.headLen, e.left = 0, int(e.head[3])<<8|int(e.head[4])
		}
		n := min(e.left, len(b))
		e.left -= n
		b = b[n:]
	}
	return e.left > 0 || e.headLen > 0
}
