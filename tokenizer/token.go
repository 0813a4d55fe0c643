package tokenizer

// Token returns the name of a token in the vocabulary, added tokens included. For a byte-level vocabulary it is
// written in that vocabulary's alphabet, in which a space is Ġ. Known is false for an id that no token has.
func (t *Tokenizer) Token(id int32) (name string, known bool) {
	if id < 0 || int(id) >= len(t.names) || t.names[id] == "" {
		return "", false
	}
	return t.names[id], true
}
