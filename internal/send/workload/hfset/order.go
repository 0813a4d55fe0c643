package hfset

import "github.com/inferometer/inferometer/internal/compat/numpy"

// place is a row of one of a set's files.
type place struct{ file, row int }

// order gives the places of rows one after the other.
type order func() (place, bool)

// shards are the files of a set as an order sees them.
type shards struct {
	rows  []int // of each
	batch int   // rows that are taken from a file before the next has its turn
}

// inSequence is the order of the files.
func (s shards) inSequence() order {
	var at place
	return func() (place, bool) {
		for at.file < len(s.rows) && at.row >= s.rows[at.file] {
			at = place{file: at.file + 1}
		}
		if at.file >= len(s.rows) {
			return place{}, false
		}
		p := at
		at.row++
		return p, true
	}
}

// permuted is Dataset.shuffle(seed) of Hugging Face's datasets: one permutation of all rows.
func (s shards) permuted(seed uint64) order {
	var all []place
	for next := s.inSequence(); ; {
		p, ok := next()
		if !ok {
			break
		}
		all = append(all, p)
	}
	permute(numpy.NewGenerator(seed), all)
	return listed(all)
}

// listed is the order of a list.
func listed(all []place) order {
	return func() (p place, ok bool) {
		if len(all) == 0 {
			return p, false
		}
		p, all = all[0], all[1:]
		return p, true
	}
}

// What IterableDataset.shuffle(seed) takes unless it is told otherwise.
const (
	shuffleBuffer = 1000
	shuffleFiles  = 10 // files that are read side by side
)

// streamed is IterableDataset.shuffle(seed) of datasets 5: files in a random order, up to
// ten of them read side by side into a buffer. Whenever it is full it is shuffled, and
// half of it stays.
func (s shards) streamed(seed uint64) order {
	next := s.sideBySide(seed)
	random := numpy.NewGenerator(seed) // it does not go on where the order of the files ended
	var buffer, out []place
	return func() (p place, ok bool) {
		for len(out) == 0 {
			batch := next()
			buffer = append(buffer, batch...)
			switch {
			case len(batch) == 0:
				if len(buffer) == 0 {
					return p, false
				}
				permute(random, buffer)
				out, buffer = buffer, nil
			case len(buffer) >= shuffleBuffer:
				permute(random, buffer)
				cut := len(buffer) - shuffleBuffer/2
				out = append(out, buffer[:cut]...)
				buffer = append([]place(nil), buffer[cut:]...)
			}
		}
		p, out = out[0], out[1:]
		return p, true
	}
}

// sideBySide gives batches of rows from groups of files in turn. No batch is the end.
func (s shards) sideBySide(seed uint64) func() []place {
	files := make([]int, len(s.rows))
	for i := range files {
		files[i] = i
	}
	permute(numpy.NewGenerator(seed), files)
	all := len(files)
	groups := make([]order, min(all, shuffleFiles))
	for i := range groups { // neighbours go together; the first groups have one more
		size := all / len(groups)
		if i < all%len(groups) {
			size++
		}
		mine := files[:size]
		files = files[size:]
		next := s.of(mine).inSequence()
		groups[i] = func() (place, bool) {
			p, ok := next()
			if ok {
				p.file = mine[p.file]
			}
			return p, ok
		}
	}
	turn := 0
	return func() (batch []place) {
		for len(groups) > 0 {
			turn %= len(groups)
			for len(batch) < s.batch {
				p, ok := groups[turn]()
				if !ok {
					break
				}
				batch = append(batch, p)
			}
			if len(batch) > 0 {
				turn++
				return batch
			}
			groups = append(groups[:turn], groups[turn+1:]...)
		}
		return nil
	}
}

// of are some of the files, as shards of their own.
func (s shards) of(files []int) shards {
	rows := make([]int, len(files))
	for i, f := range files {
		rows[i] = s.rows[f]
	}
	return shards{rows, s.batch}
}

// permute is NumPy's Generator.permutation and Generator.shuffle.
func permute[T any](g *numpy.Generator, list []T) {
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}
