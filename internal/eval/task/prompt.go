package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/outside"
	"github.com/inferometer/inferometer/tokenizer/jinja"
)

// message is a part of a prompt: of a chat a message, else text with what follows it.
type message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	delimiter string
}

// target is the answer of a row: a text, a number (of a choice), or a list of texts.
func (t *Task) target(f *form, r *row) (any, error) {
	v, err := f.answer.value(r)
	if err != nil || f.answer == nil || f.answer.fixed != nil || f.answer.column {
		return v, err
	}
	text, _ := v.(string)
	if isDigits(text) && t.asked.choices != nil {
		return literal(strings.TrimLeft(text[:len(text)-1], "0") + text[len(text)-1:])
	}
	if t.lmEval && len(text) >= 2 && text[0] == '[' && text[len(text)-1] == ']' {
		if v, err := literal(text); err == nil {
			return v, nil
		}
	}
	return text, nil
}

// shownAnswer is the text of a worked example's answer; "": it has none.
func (t *Task) shownAnswer(r *row) (string, error) {
	v, err := t.target(&t.shown, r)
	if err != nil {
		return "", err
	}
	if l, isList := v.(*jinja.List); isList {
		items := l.Items()
		if len(items) == 0 {
			return "", errors.New("the worked example's list of answers is empty")
		}
		v = items[0]
	}
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case int64:
		if t.shown.choices == nil {
			if t.lmEval {
				return "", fmt.Errorf("%s: the worked example's answer is the number %d and there are no choices", t.shown.answer.key, v)
			}
			return pythonText(v), nil
		}
		choices, err := t.shown.choices.strings(r)
		if err != nil {
			return "", err
		}
		if v < 0 || v >= int64(len(choices)) {
			return "", fmt.Errorf("the worked example's answer is choice %d, and it has %d", v, len(choices))
		}
		return choices[v], nil
	}
	if t.lmEval {
		return "", fmt.Errorf("%s: the worked example's answer is no text: %s", t.shown.answer.key, outside.Sentence(clipped(pythonRepr(v))))
	}
	return pythonText(v), nil
}

// exampleTurn is a worked example.
func (t *Task) exampleTurn(r *row) ([]message, error) {
	question, err := t.shown.question.asString(r)
	if err != nil {
		return nil, err
	}
	prefix, err := t.shown.prefix.asString(r)
	if err != nil {
		return nil, err
	}
	answer, err := t.shownAnswer(r)
	if err != nil {
		return nil, err
	}
	out := []message{{"user", question, ""}}
	if answer != "" && prefix == "" || prefix != "" && apart(question, prefix) {
		out[0].delimiter = t.shown.delimiter
	}
	switch {
	case answer != "":
		out = append(out, message{"assistant", joined(prefix, answer, " "), t.shownBetween})
	case prefix != "":
		out = append(out, message{"assistant", prefix, ""})
	}
	return out, nil
}

// questionTurn is the question itself.
func (t *Task) questionTurn(r *row) ([]message, error) {
	question, err := t.asked.question.asString(r)
	if err != nil {
		return nil, err
	}
	if t.lmEval && t.asked.choices != nil && !t.asked.question.column && isDigits(question) {
		return nil, errors.New("doc_to_text gives a number: tasks whose choices are the questions can't be read")
	}
	prefix, err := t.asked.prefix.asString(r)
	if err != nil || prefix == "" {
		return []message{{"user", question, ""}}, err
	}
	out := []message{{"user", question, ""}, {"assistant", prefix, ""}}
	if apart(question, prefix) {
		out[0].delimiter = t.asked.delimiter
	}
	return out, nil
}

// messages are all parts of a prompt.
func (t *Task) messages(system string, r *row, examples []message) ([]message, error) {
	description, err := t.description.asString(r)
	if err != nil {
		return nil, err
	}
	var out []message
	if system = joined(system, description, t.between); system != "" {
		out = append(out, message{"system", system, ""})
	}
	out = append(out, examples...)
	turn, err := t.questionTurn(r)
	return append(out, turn...), err
}

// plainText is a prompt as one text.
func plainText(parts []message) string {
	var b strings.Builder
	for _, m := range parts {
		b.WriteString(m.Content)
		b.WriteString(m.delimiter)
	}
	return b.String()
}

// singleTurn puts all worked examples into the user's one message.
func singleTurn(parts []message) []message {
	var out []message
	if parts[0].Role == "system" {
		out, parts = parts[:1:1], parts[1:]
	}
	var begun []message
	if last := len(parts) - 1; parts[last].Role == "assistant" {
		parts, begun = parts[:last], parts[last:]
	}
	text := strings.TrimSuffix(plainText(parts), parts[len(parts)-1].delimiter)
	out = append(out, message{"user", text, ""})
	return append(out, begun...)
}

// chatJSON writes messages as Python's json.dumps with ensure_ascii=False would mean them.
func chatJSON(parts []message) (json.RawMessage, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(parts); err != nil {
		return nil, err
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n")), nil
}

// apart says whether a delimiter must stand between two texts.
func apart(before, after string) bool {
	if before == "" {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(after)
	return !isSpace(last) && !isSpace(first)
}

func joined(before, after, delimiter string) string {
	if before == "" || after == "" || !apart(before, after) {
		return before + after
	}
	return before + delimiter + after
}

// isSpace is Python's str.isspace for one character.
func isSpace(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f }
