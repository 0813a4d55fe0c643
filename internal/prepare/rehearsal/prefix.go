package rehearsal

// Prefix is how much of the prompts stood at the beginning of an earlier one: what a
// prefix cache without bounds would know.
type Prefix struct {
	Share    float64 `json:"share"`            // of the bytes of all prompts, in whole blocks
	Block    int     `json:"block_bytes"`      // some 16 tokens of English
	Repeated int     `json:"repeated_prompts"` // prompts that stood there before as a whole
	Requests int     `json:"of_requests"`      // that were looked at: the first ones of very many
}

const (
	prefixBlock = 64
	maxBlocks   = 2 << 20 // that are kept in memory
)

type prefixes struct {
	blocks        map[uint64]struct{}
	whole         map[uint64]struct{}
	shared, total int64
	repeated, n   int
}

func newPrefixes() *prefixes {
	return &prefixes{blocks: map[uint64]struct{}{}, whole: map[uint64]struct{}{}}
}

// add follows a prompt block by block. The hash of a block is that of all before it too.
func (p *prefixes) add(text []byte) {
	if len(p.blocks) >= maxBlocks {
		return
	}
	p.n++
	p.total += int64(len(text))
	h, known := uint64(14695981039346656037), true
	rest := text
	for len(rest) >= prefixBlock {
		h = fnv(h, rest[:prefixBlock])
		rest = rest[prefixBlock:]
		if _, seen := p.blocks[h]; seen && known {
			p.shared += prefixBlock
			continue
		}
		known = false
		p.blocks[h] = struct{}{}
	}
	h = fnv(h, rest)
	if _, seen := p.whole[h]; seen {
		p.repeated++
		p.shared += int64(len(rest))
	}
	p.whole[h] = struct{}{}
}

// fnv is FNV-1a, continued.
func fnv(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}

func (p *prefixes) summary() Prefix {
	s := Prefix{Block: prefixBlock, Repeated: p.repeated, Requests: p.n}
	if p.total > 0 {
		s.Share = float64(p.shared) / float64(p.total)
	}
	return s
}
