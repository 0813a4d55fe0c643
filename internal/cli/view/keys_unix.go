//go:build unix

package view

import (
	"os"

	"github.com/muesli/cancelreader"
)

// keyReader reads keys until it is closed.
type keyReader struct {
	reader cancelreader.CancelReader
	done   chan struct{}
}

func readKeys(from *os.File, pressed func(key)) (*keyReader, error) {
	r, err := cancelreader.NewReader(from)
	if err != nil {
		return nil, err
	}
	k := &keyReader{reader: r, done: make(chan struct{})}
	go func() {
		defer close(k.done)
		var p keyParser
		buffer := make([]byte, 64)
		for {
			n, err := r.Read(buffer)
			for _, b := range buffer[:n] {
				if c, ok := p.next(b); ok {
					pressed(c)
				}
			}
			if err != nil || n == 0 { // the terminal has gone, or we are in the background: no keys any more
				return
			}
		}
	}()
	return k, nil
}

func (k *keyReader) Close() {
	k.reader.Cancel()
	<-k.done
	k.reader.Close()
}

// keyParser takes the keys that stand for characters out of what a terminal sends. Other keys,
// and answers to questions that were put to the terminal, are sequences that begin with an
// escape; they are read to their end and left out.
type keyParser struct{ in sequence }

type sequence int

const (
	none        sequence = iota
	begun                // ESC
	control              // ESC [ …, up to a letter
	shifted              // ESC O and one character
	words                // ESC ] and the like, up to BEL or ESC \
	wordsEscape          // an ESC in those
)

func (p *keyParser) next(b byte) (key, bool) {
	const esc, bell = 0x1b, 0x07
	switch p.in {
	case none:
		if b == esc {
			p.in = begun
			return 0, false
		}
		return key(b), b > ' ' && b < 0x7f
	case begun:
		switch b {
		case '[':
			p.in = control
		case 'O':
			p.in = shifted
		case ']', 'P', '_', '^', 'X':
			p.in = words
		case esc:
		default:
			p.in = none // a key with Alt
		}
	case control:
		switch {
		case b == esc:
			p.in = begun
		case b >= 0x40 && b <= 0x7e:
			p.in = none
		}
	case shifted:
		p.in = none
	case words, wordsEscape:
		switch {
		case b == bell, p.in == wordsEscape && b == '\\':
			p.in = none
		case b == esc:
			p.in = wordsEscape
		default:
			p.in = words
		}
	}
	return 0, false
}
