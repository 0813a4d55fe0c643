package trace

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/inferometer/inferometer/internal/send/trace/tree"
)

// sessions are trees of which each is the rows of one session. A row without one is a tree of its own.
type sessions struct {
	stored
	options TreeOptions
	list    []sessionPlaces
	heads   [][]byte // the first lines of tables, by file
}

// sessionPlaces says where the rows of a session are, in the order of the file.
type sessionPlaces struct {
	rows []place
	at   time.Duration // of the first one
}

// located is what rows know that have a line each.
type located interface {
	last() place  // of the row that was read last
	head() []byte // the line before all rows; nil: there is none
}

// indexSessions reads all rows once, and keeps where they are.
func indexSessions(t *Trace, o TreeOptions) (Trees, error) {
	s := &sessions{stored: stored{trace: t}, options: o, heads: make([][]byte, len(t.Files))}
	type key struct {
		file    int
		session uint64
	}
	known := map[key]int{}
	rows, found := t.Rows(), false
	defer rows.Close()
	for {
		var r Row
		err := rows.Next(&r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		file := rows.file - 1
		at := rows.rows.(located)
		s.heads[file] = at.head()
		p := at.last()
		p.file, p.line = int32(file), int32(r.Number)
		k := key{file, r.job()}
		if t.Format.Continued {
			k.file = 0
		}
		i, there := known[k]
		if k.session == 0 || !there {
			i = len(s.list)
			s.list = append(s.list, sessionPlaces{at: r.At})
			known[k] = i
		}
		// A session of one request says nothing that the row does not, unless only a closed loop can send it.
		found = found || k.session != 0 && (there || r.Untimed || r.Own != nil)
		l := &s.list[i]
		if len(l.rows) == tree.MaxTurns {
			return nil, errors.Join(fmt.Errorf("%s: row %d: a session has more than %d requests", t.Files[file], r.Number, tree.MaxTurns), s.Close())
		}
		l.rows = append(l.rows, p)
		if !r.Untimed {
			l.at = min(l.at, r.At)
		}
	}
	if !found {
		return nil, fmt.Errorf("%s: %w", t.Files[0], ErrNoSessions)
	}
	for i, path := range t.Files {
		if packed, err := isPacked(path); err == nil && packed {
			err = s.unpack(i)
			if err != nil {
				return nil, errors.Join(err, s.Close())
			}
		}
	}
	return s, nil
}

// isPacked says whether a file is compressed.
func isPacked(path string) (bool, error) {
	in, err := openInput(path, 0)
	if err != nil {
		return false, err
	}
	return in.packed, in.Close()
}

// Len implements Trees.
func (s *sessions) Len() int { return len(s.list) }

// Tree implements Trees.
func (s *sessions) Tree(i int) (*tree.Tree, error) {
	l := &s.list[i]
	in, err := s.lines(l.rows)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	read := s.trace.Format.tree
	if read == nil {
		read = s.read
	}
	t, err := read(in, s.options)
	if err != nil {
		return nil, fmt.Errorf("%s: the session of row %d: %w", s.trace.Files[l.rows[0].file], l.rows[0].line, err)
	}
	t.At = l.at
	if t.ID == "" {
		t.ID = strconv.Itoa(i + 1)
	}
	return t, nil
}

// lines are the lines of rows, which may stand in several files.
func (s *sessions) lines(rows []place) (*input, error) {
	all := &input{}
	var readers []io.Reader
	if head := s.heads[rows[0].file]; head != nil {
		readers = append(readers, newLine(head))
	}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].file == rows[0].file {
			n++
		}
		in, err := s.open(rows[:n]...)
		if err != nil {
			return nil, errors.Join(err, all.Close())
		}
		all.more = append(all.more, in)
		readers = append(readers, in.bound.r, newLine(nil))
		rows = rows[n:]
	}
	all.read(io.MultiReader(readers...))
	return all, nil
}

// read makes a tree of the rows of a session: a chain of turns.
func (s *sessions) read(in *input, _ TreeOptions) (*tree.Tree, error) {
	from, err := s.trace.Format.open(in)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for {
		var r Row
		if err := from.next(&r); errors.Is(err, io.EOF) {
			return chainOf(rows, s.trace.Format.History)
		} else if err != nil {
			return nil, err
		}
		r.IDs = slices.Clone(r.IDs)
		rows = append(rows, r)
	}
}

// historyBlock is the size of the blocks of sessions of which only the lengths are known.
const historyBlock = 16

// chainOf makes a tree of rows of which each waits for the one before it. Those that failed, or that nobody can send, are
// left out. With history each prompt is known to begin with the one before it.
func chainOf(rows []Row, history bool) (*tree.Tree, error) {
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Failed || r.NoInput && r.Own == nil })
	if len(rows) == 0 {
		return nil, ErrNoRequest
	}
	t := &tree.Tree{Branches: []tree.Branch{{Name: tree.Root, Kind: tree.Root, Parent: -1}}, Block: rows[0].Block, Shared: true}
	t.Untimed = slices.ContainsFunc(rows, func(r Row) bool { return r.Untimed })
	if !t.Untimed {
		slices.SortStableFunc(rows, func(a, b Row) int { return int(min(max(a.At-b.At, -1), 1)) })
	}
	var ids minted
	var before []uint64
	for i := range rows {
		r := &rows[i]
		turn := tree.Turn{Took: r.Took, Input: r.Input, Output: r.Output, Model: r.Model, Own: r.Own, Fields: r.fields()}
		if !t.Untimed {
			turn.At = r.At - rows[0].At
		}
		if i > 0 {
			p := tree.Parent{Turn: i - 1, Edge: tree.Next, Pause: max(turn.At-t.Turns[i-1].At-t.Turns[i-1].Took, 0)}
			if r.Delay != nil {
				p.Pause = max(*r.Delay, 0)
			}
			if r.Adds {
				p.History = tree.Full
			}
			turn.Parents = []tree.Parent{p}
		}
		if history {
			r.IDs, t.Block, t.Shared = ids.next(r.Input), historyBlock, false
		}
		if r.Block != t.Block && len(r.IDs) > 0 && !history {
			return nil, fmt.Errorf("its blocks have %d tokens, and then %d", t.Block, r.Block)
		}
		turn.Kept = tree.Common(before, r.IDs)
		turn.IDs = slices.Clone(r.IDs[turn.Kept:])
		before = r.IDs
		t.Turns = append(t.Turns, turn)
	}
	return t, nil
}

// minted makes ids for prompts of which each begins with the one before.
type minted struct {
	ids   []uint64
	whole int // blocks of the prompt before that are full
	last  uint64
}

func (m *minted) next(tokens int) []uint64 {
	n := (tokens + historyBlock - 1) / historyBlock
	ids := slices.Clone(m.ids[:min(m.whole, n)])
	for len(ids) < n {
		m.last++
		ids = append(ids, m.last)
	}
	m.ids, m.whole = ids, tokens/historyBlock
	return ids
}
