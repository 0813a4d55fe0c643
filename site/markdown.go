package site

import (
	"regexp"
	"strings"
	"unicode"
)

// Link is a link or picture of a page to something in the repository.
type Link struct {
	To     string // relative to the page; empty: the page itself
	Anchor string // without #
	Line   int
}

var (
	inlineCode = regexp.MustCompile("`+[^`]*`+")
	linkTarget = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\s*\[[^\]]+\]:\s+<?([^\s>]+)`)
	scheme     = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)
	htmlTag    = regexp.MustCompile(`<[^>]+>`)
	linkText   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	heading    = regexp.MustCompile(`^ {0,3}(#{1,6})\s+(.*?)\s*#*$`)
	fence      = regexp.MustCompile("^ {0,3}(```+|~~~+)")
)

// prose calls f with each line that is in no fenced block.
func prose(markdown string, f func(number int, line string)) {
	open := ""
	for i, line := range strings.Split(markdown, "\n") {
		if m := fence.FindStringSubmatch(line); m != nil {
			switch {
			case open == "":
				open = m[1]
			case strings.HasPrefix(strings.TrimSpace(line), open) && strings.Trim(strings.TrimSpace(line), open[:1]) == "":
				open = ""
			}
			continue
		}
		if open == "" {
			f(i+1, line)
		}
	}
}

// Links finds what a page links to, without addresses elsewhere.
func Links(markdown string) (links []Link) {
	prose(markdown, func(number int, line string) {
		for _, m := range linkTarget.FindAllStringSubmatch(inlineCode.ReplaceAllString(line, "x"), -1) {
			to := m[1] + m[2]
			if scheme.MatchString(to) || strings.HasPrefix(to, "//") {
				continue
			}
			to, anchor, _ := strings.Cut(to, "#")
			links = append(links, Link{To: to, Anchor: anchor, Line: number})
		}
	})
	return links
}

// Heading is the text of the first heading of a page.
func Heading(markdown string) (text string) {
	prose(markdown, func(_ int, line string) {
		if m := heading.FindStringSubmatch(line); m != nil && text == "" {
			text = m[2]
		}
	})
	return text
}

// Anchors are the names of a page's headings, by the rule that code hosts and mdBook share:
// lower case, spaces to dashes, letters, digits, dashes and underscores kept; the second of a name gets -1.
func Anchors(markdown string) map[string]bool {
	anchors, seen := map[string]bool{}, map[string]int{}
	prose(markdown, func(_ int, line string) {
		m := heading.FindStringSubmatch(line)
		if m == nil {
			return
		}
		name := slug(m[2])
		if n := seen[name]; n > 0 {
			anchors[name+"-"+string(rune('0'+n))] = true
		} else {
			anchors[name] = true
		}
		seen[name]++
	})
	return anchors
}

func slug(text string) string {
	text = linkText.ReplaceAllString(text, "$1")
	text = htmlTag.ReplaceAllString(text, "")
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '-'
		case unicode.IsLetter(r), unicode.IsNumber(r), r == '-', r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
