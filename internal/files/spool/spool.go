// Package spool keeps pieces of bytes until they are wanted: the first in memory, the
// others in a file without a name.
package spool

// Memory is how much of a spool stays in memory.
const Memory = 32 << 20

// Spool keeps pieces. Its zero value is empty and ready.
type Spool struct {
	memory []byte
	file   *Temporary
	ends   []int64 // of the pieces
}

// Len is how many pieces there are.
func (s *Spool) Len() int { return len(s.ends) }

func (s *Spool) size() int64 {
	if len(s.ends) == 0 {
		return 0
	}
	return s.ends[len(s.ends)-1]
}

// Add keeps a piece. The next number is its.
func (s *Spool) Add(piece []byte) (err error) {
	end := s.size() + int64(len(piece))
	if s.file == nil && end <= Memory {
		s.memory = append(s.memory, piece...)
	} else {
		if s.file == nil {
			if s.file, err = NewTemporary(); err != nil {
				return err
			}
		}
		if _, err := s.file.Write(piece); err != nil {
			return err
		}
	}
	s.ends = append(s.ends, end)
	return nil
}

// Get gives piece i, which is not to be changed.
func (s *Spool) Get(i int) ([]byte, error) {
	from, end := int64(0), s.ends[i]
	if i > 0 {
		from = s.ends[i-1]
	}
	if end <= int64(len(s.memory)) {
		return s.memory[from:end], nil
	}
	b := make([]byte, end-from)
	_, err := s.file.File.ReadAt(b, from-int64(len(s.memory)))
	return b, err
}

// Close lets the file go.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	return s.file.File.Close()
}
