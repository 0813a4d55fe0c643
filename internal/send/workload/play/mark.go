package play

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"golang.org/x/crypto/blake2b"
)

// rid is AIPerf's digest of a play: PASS counts the plays of a trace from 0.
func rid(id string, pass, lane int, trace string) string {
	sum := sha256.Sum256([]byte(id + ":" + strconv.Itoa(pass) + ":" + strconv.Itoa(lane) + ":" + trace))
	return hex.EncodeToString(sum[:6])
}

// marker is that of a play.
func (p *Player) marker(r *Recording, at Place) string {
	return markText(rid(cmp.Or(p.Options.BustID, strconv.FormatUint(p.Seed, 10)), at.Pass, at.Lane, r.ID))
}

// markText is what stands before the first user message.
func markText(rid string) string { return "[rid:" + rid + "]\n\n" }

// markTokens are those of a marker before words.
func markTokens(v *Vocabulary, text string) ([]int32, error) {
	ids, err := v.count(text + v.heads[0])
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return ids[:len(ids)-1], nil
}

// salts are MLPerf's around the system prompt: the first is that of a pass, the second that of a trace.
func salts(pass int, trace string) (before, after string) {
	return "[salt: " + salt(strconv.Itoa(pass)) + "]\n\n", "\n\n[salt: " + salt(trace) + "]"
}

// salt is BLAKE2b with two bytes.
func salt(of string) string {
	h, err := blake2b.New(2, nil)
	if err != nil {
		panic(err) // two is a size that it takes
	}
	_, _ = h.Write([]byte(of)) // never fails
	return hex.EncodeToString(h.Sum(nil))
}

// quoted is a text inside a JSON string. It has nothing to escape but line breaks.
func quoted(text string) string { return strings.ReplaceAll(text, "\n", `\n`) }
