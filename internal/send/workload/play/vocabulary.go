package play

import (
	"errors"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/send/workload/prompts"
	"github.com/inferometer/inferometer/internal/send/workload/replay"
	"github.com/inferometer/inferometer/tokenizer"
)

// Vocabulary is what prompts are made of: words that stay one token each beside any other.
type Vocabulary struct {
	words []string // each with the blank before it
	heads []string // that are one token at the beginning of a message too, without the blank
	chat  *chat    // what the template puts between messages; nil: nobody knows, and so how many tokens a prompt has
	count func(text string) ([]int32, error)
}

// fewestWords is the least of a vocabulary for texts: fewer would repeat by chance.
const fewestWords = 64

// NewVocabulary finds the words of a tokenizer; of none, or of a server's, it takes the built-in ones.
func NewVocabulary(t prompts.Tokenizer, ordinary func(prompts.Vocabulary) []int32) (*Vocabulary, error) {
	v := &Vocabulary{}
	known, ok := t.(prompts.Vocabulary)
	if !ok {
		for _, w := range prompts.Words {
			v.words, v.heads = append(v.words, " "+w), append(v.heads, w)
		}
		return v, nil
	}
	var err error
	if v.words, err = replay.WholeWords(known, ordinary(known)); err != nil {
		return nil, err
	}
	if v.heads, err = headsOf(known, v.words); err != nil {
		return nil, err
	}
	if len(v.words) < fewestWords || len(v.heads) == 0 {
		return nil, errors.New("the vocabulary has too few words that stay one token each")
	}
	v.count = known.Encode
	v.chat, err = newChat(known, v)
	return v, err
}

// Exact says that prompts have exactly as many tokens as planned.
func (v *Vocabulary) Exact() bool { return v.chat != nil }

// maxHeads is enough of them.
const maxHeads = 512

// headsOf are words that are one token after a line break, without their blank.
func headsOf(v prompts.Vocabulary, words []string) (heads []string, err error) {
	for _, w := range words {
		ids, err := v.Encode("\n" + w[1:] + w)
		if err != nil {
			return nil, err
		}
		alone, err := v.Encode("\n" + w)
		if err != nil {
			return nil, err
		}
		if len(ids) == len(alone)+1 {
			if heads = append(heads, w[1:]); len(heads) == maxHeads {
				break
			}
		}
	}
	return heads, nil
}

// mix spreads the bits of a number (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// key makes one number of several.
func key(parts ...uint64) (k uint64) {
	for _, p := range parts {
		k = mix(k ^ p)
	}
	return k
}

// write adds the tokens of a block from one on, to before another; head says that the first of them begins a message.
func (v *Vocabulary) write(dst []byte, block uint64, from, to int, head bool) []byte {
	for i := from; i < to; i++ {
		x := mix(block + uint64(i)*0xff51afd7ed558ccd)
		if head {
			dst, head = append(dst, v.heads[x%uint64(len(v.heads))]...), false
			continue
		}
		dst = append(dst, v.words[x%uint64(len(v.words))]...)
	}
	return dst
}

// chat is what a chat template puts around messages, in tokens.
type chat struct {
	first   [roles][]int32        // before the first one, of that role
	between [roles][roles][]int32 // after one of a role and before one of another
	last    [roles][]int32        // after the last one, with the beginning of the answer
	ends    [roles]bool           // last is known
	refused [roles][roles]bool    // the template does not take the one behind the other
}

// newChat renders messages and looks at what stands between them; nil: there is no template, or its texts are not the sum of
// their parts.
func newChat(v prompts.Vocabulary, words *Vocabulary) (*chat, error) {
	t, ok := v.(prompts.ChatTemplate)
	if !ok {
		return nil, nil
	}
	c := &chat{}
	learn := func(list ...role) bool {
		parts, err := split(t, list)
		if err != nil {
			return false
		}
		tokens := make([][]int32, len(parts))
		for i, p := range parts {
			if i < len(list) { // a blank before a word is part of its token
				p = strings.TrimSuffix(p, " ")
			}
			if tokens[i], err = v.Encode(p); err != nil {
				return false
			}
		}
		c.first[list[0]], c.last[list[len(list)-1]] = tokens[0], tokens[len(tokens)-1]
		for i := 1; i < len(list); i++ {
			c.between[list[i-1]][list[i]] = tokens[i]
		}
		return true
	}
	// Prompts that end otherwise than with the user are rare, and a template may refuse them.
	c.ends[system], c.ends[assistant], c.ends[user] = learn(system), learn(user, assistant), true
	if !learn(user) || !learn(user, assistant, user) {
		return nil, nil
	}
	for _, pair := range [][2]role{{user, user}, {assistant, assistant}} {
		c.refused[pair[0]][pair[1]] = !learn(user, pair[0], pair[1], user) && !learn(user, assistant, pair[1], user)
	}
	learn(user, assistant, user) // what the two above have learnt of others may be of a template that counts
	c.refused[system][user] = !learn(system, user)
	learn(user)
	if ok, err := c.adds(v, t, words); err != nil || !ok {
		return nil, err
	}
	return c, nil
}

// split renders messages with texts that stand nowhere else, and cuts at them.
func split(t prompts.ChatTemplate, list []role) (parts []string, err error) {
	messages := make([]tokenizer.Message, len(list))
	for i, r := range list {
		messages[i] = tokenizer.Message{Role: roleNames[r], Content: "qzjxk" + string(rune('a'+i)) + "vwqzj"}
	}
	text, err := t.ApplyChatTemplate(messages, tokenizer.ChatOptions{AddGenerationPrompt: true})
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		before, after, found := strings.Cut(text, m.Content)
		if !found {
			return nil, errors.New("the template changes texts")
		}
		parts, text = append(parts, before), after
	}
	return append(parts, text), nil
}

// adds holds the sum of the parts against a whole text, with a marker before the first words.
func (c *chat) adds(v prompts.Vocabulary, t prompts.ChatTemplate, words *Vocabulary) (bool, error) {
	list := []role{user, assistant, user, assistant, user}
	if !c.refused[system][user] {
		list = slices.Insert(list, 0, system)
	}
	mark, err := markTokens(words, markText("0123456789ab"))
	if err != nil {
		return false, err
	}
	want := len(c.first[list[0]]) + len(mark)
	messages := make([]tokenizer.Message, len(list))
	for i, r := range list {
		content, n := "", 3+i
		if i == 0 {
			content = markText("0123456789ab")
		}
		content += string(words.write(nil, key(uint64(i)), 0, n, true))
		messages[i] = tokenizer.Message{Role: roleNames[r], Content: content}
		want += n + len(c.after(list, i))
	}
	text, err := t.ApplyChatTemplate(messages, tokenizer.ChatOptions{AddGenerationPrompt: true})
	if err != nil {
		return false, nil //nolint:nilerr // then nobody knows
	}
	ids, err := v.Encode(text)
	return len(ids) == want, err
}

// after are the tokens behind a message.
func (c *chat) after(list []role, i int) []int32 {
	if i == len(list)-1 {
		return c.last[list[i]]
	}
	return c.between[list[i]][list[i+1]]
}
