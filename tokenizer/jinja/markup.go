package jinja

import "strings"

// markup is a string that counts as HTML: what the filters safe and escape give. A plain string that is
// added to it is escaped first. No chat template wants that, but some get it, and their model was trained
// on the text that came out.
type markup string

// unmarked takes the mark off, for everything that treats both kinds of strings the same.
func unmarked(v any) any {
	if m, isMarked := v.(markup); isMarked {
		return string(m)
	}
	return v
}

// remarked gives a result the mark of the value that it was made of. The strings of a list get it one by one.
func remarked(of, result any) any {
	if _, isMarked := of.(markup); !isMarked {
		return result
	}
	switch v := result.(type) {
	case string:
		return markup(v)
	case *List:
		for i, one := range v.items {
			v.items[i] = remarked(of, one)
		}
	}
	return result
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&#34;").Replace(s)
}

// escaped is the text of a value for use in markup: what is markup already stays as it is.
func (r *run) escaped(v any) string {
	text := r.text(v)
	if _, isMarked := v.(markup); isMarked {
		return text
	}
	r.spend(5 * len(text))
	return escape(text)
}

// addMarkup is + where at least one side is markup and both are strings.
func (r *run) addMarkup(left, right any) (any, bool) {
	_, leftMarked := left.(markup)
	_, rightMarked := right.(markup)
	_, leftText := unmarked(left).(string)
	_, rightText := unmarked(right).(string)
	if !leftMarked && !rightMarked || !leftText || !rightText {
		return nil, false
	}
	a, b := r.escaped(left), r.escaped(right)
	r.spend(len(a) + len(b))
	return markup(a + b), true
}

// markupMethod gives MarkupSafe's method of that name: Python's, whose arguments are escaped where they become
// part of the text, and whose result is markup again.
func markupMethod(m markup, name string) func(*run, *arguments) any {
	f := stringMethod(name)
	if f == nil {
		return nil
	}
	call := bindString(string(m), f)
	return func(r *run, a *arguments) any {
		given := &arguments{values: append([]any{}, a.values...), named: append([]namedValue{}, a.named...)}
		switch name {
		case "replace", "ljust", "rjust", "center":
			if len(given.values) > 1 {
				given.values[1] = r.escaped(given.values[1])
			}
		case "join":
			if len(given.values) == 1 {
				given.values[0] = r.escapedItems(given.values[0])
			}
		case "format":
			for i := range given.values {
				given.values[i] = r.escaped(given.values[i])
			}
			for i := range given.named {
				given.named[i].value = r.escaped(given.named[i].value)
			}
		}
		return remarked(m, call(r, given))
	}
}

func (r *run) escapedItems(v any) *List {
	items := r.iterate(v)
	r.spend(itemCost * len(items))
	texts := make([]any, len(items))
	for i, one := range items {
		texts[i] = r.escaped(one)
	}
	return &List{items: texts}
}

// escapedValues are the values of a format of markup, made safe for %s. Numbers stay what they are.
func (r *run) escapedValues(v any) any {
	switch v := v.(type) {
	case *List:
		if v.kind != tuple {
			break // one value
		}
		items := make([]any, len(v.items))
		r.spend(itemCost * len(items))
		for i, one := range v.items {
			items[i] = r.escapedValue(one)
		}
		return newTuple(items)
	case *Dict:
		d := &Dict{}
		r.spend(4 * itemCost * len(v.keys))
		for i, key := range v.keys {
			d.set(r.hash(key), key, r.escapedValue(v.values[i]))
		}
		return d
	}
	return r.escapedValue(v)
}

func (r *run) escapedValue(v any) any {
	if _, isNumber := number(v); isNumber {
		return v
	}
	return r.escaped(v)
}
