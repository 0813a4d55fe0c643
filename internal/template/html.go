package template

import (
	"bytes"
	"fmt"
	"strings"
)

// What is ours and is shown as it is, in its own place only.
type (
	HTML string
	CSS  string
	JS   string
)

// The places in a page.
const (
	inText   = iota
	inTag    // and not in a quoted value
	inValue  // of an attribute, in quotes
	inScript //
	inStyle  //
)

// place is where in a page the text has come to.
type place struct {
	in        int
	tag       string
	attribute string // of inValue
	quote     byte   // that ends it
	begun     bool   // something of it was written
}

// follow reads on in the page.
func (p *place) follow(text []byte) {
	for len(text) > 0 {
		switch p.in {
		case inText:
			text = p.followText(text)
		case inTag:
			text = p.followTag(text)
		case inValue:
			end := bytes.IndexByte(text, p.quote)
			if end < 0 {
				p.begun = true
				return
			}
			p.in, p.attribute, text = inTag, "", text[end+1:]
		default: // to the end of the script or style
			end := bytes.Index(bytes.ToLower(text), []byte("</"+p.tag))
			if end < 0 {
				return
			}
			p.in, p.tag, text = inTag, "/", text[end+2+len(p.tag):]
		}
	}
}

func (p *place) followText(text []byte) []byte {
	start := bytes.IndexByte(text, '<')
	if start < 0 {
		return nil
	}
	text = text[start+1:]
	end := bytes.IndexAny(text, " \n>")
	if end < 0 {
		end = len(text)
	}
	p.in, p.tag = inTag, strings.ToLower(string(text[:end]))
	return text[end:]
}

func (p *place) followTag(text []byte) []byte {
	end := bytes.IndexAny(text, `>"'`)
	if end < 0 {
		p.attribute += string(text)
		return nil
	}
	before := p.attribute + string(text[:end])
	p.attribute = ""
	if quote := text[end]; quote != '>' {
		name := strings.TrimSuffix(strings.TrimSpace(before), "=")
		p.in, p.quote, p.begun = inValue, quote, false
		p.attribute = strings.ToLower(name[strings.LastIndexAny(name, " \n")+1:])
		return text[end+1:]
	}
	p.in = inText
	switch p.tag {
	case "script":
		p.in = inScript
	case "style":
		p.in = inStyle
	}
	return text[end+1:]
}

var htmlEscapes = strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;", ">", "&gt;")

// escapeHTML makes a text harmless between tags and in quotes.
func escapeHTML(text string) string { return htmlEscapes.Replace(text) }

// normalizeURL escapes what may not stand in an address. One that begins the attribute and
// leads to a script or to some other scheme becomes a link to nowhere.
func normalizeURL(text string, begun bool) string {
	if scheme, _, found := strings.Cut(text, ":"); found && !begun && !strings.Contains(scheme, "/") {
		switch strings.ToLower(scheme) {
		case "http", "https", "mailto":
		default:
			return "#refused"
		}
	}
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~!#$&*+,/:;=?@[]", c) >= 0,
			c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
