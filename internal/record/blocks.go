package record

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// bytesPerToken makes blocks of about the right size where no tokenizer does.
const bytesPerToken = 4

// idBits is the length of an id: every JSON reader holds it without loss.
const idBits = 53

// hasher names blocks of prompts. Names are keyed with a secret that is forgotten at the
// end, so that nobody can find a text by trying texts. Each name depends on all that is before
// its block: equal names are equal beginnings, of the same model.
type hasher struct {
	secret []byte
	block  int // tokens
}

func (h *hasher) sum(parts ...[]byte) []byte {
	m := hmac.New(sha256.New, h.secret)
	for _, p := range parts {
		m.Write(p)
	}
	return m.Sum(nil)
}

// name is what a session is called.
func (h *hasher) name(session string) string {
	if session == "" {
		return ""
	}
	return hex.EncodeToString(h.sum([]byte("session\x00"), []byte(session))[:8])
}

// chain is a prompt's blocks: full ones, and what is left over as a last one.
type chain struct {
	h    *hasher
	last []byte
	ids  []uint64
}

func (h *hasher) chain(model string) *chain {
	return &chain{h: h, last: h.sum([]byte("model\x00"), []byte(model))}
}

func (c *chain) add(block []byte) {
	c.last = c.h.sum(c.last, block)
	c.ids = append(c.ids, binary.BigEndian.Uint64(c.last)>>(64-idBits))
}

// ofIDs are blocks of token ids.
func (c *chain) ofIDs(ids []int32) {
	for len(ids) > 0 {
		n := min(c.h.block, len(ids))
		c.add(idBytes(ids[:n]))
		ids = ids[n:]
	}
}

// ofText are blocks of bytes.
func (c *chain) ofText(text string) {
	size := c.h.block * bytesPerToken
	for len(text) > 0 {
		n := min(size, len(text))
		c.add([]byte(text[:n]))
		text = text[n:]
	}
}

// fit makes as many ids as a prompt of so many tokens has in blocks of a size. Where they
// are too many the last one stays, as it names the whole prompt; where they are too few, as a
// chat template adds tokens, more follow from it.
func (c *chain) fit(tokens, block int) []uint64 {
	need := (tokens + block - 1) / block
	if need == 0 || len(c.ids) == 0 {
		return nil
	}
	if have := len(c.ids); have > need {
		c.ids[need-1] = c.ids[have-1]
		return c.ids[:need]
	}
	for len(c.ids) < need {
		c.add(nil)
	}
	return c.ids
}
