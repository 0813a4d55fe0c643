package outside

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Markdown writes words into a line or a table's cell of Markdown, where they mean
// nothing but themselves. They may be ours with a word from outside in them, so that
// their length is not bounded here.
func Markdown(s string) string {
	return tag.ReplaceAllString(markdown.Replace(Line(s, math.MaxInt)), "&lt;$1")
}

var markdown = strings.NewReplacer(`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "](", `]\(`, "]:", `]\:`)

// tag begins an element of HTML; a bare < as in 3 < 4 stays what it is.
var tag = regexp.MustCompile(`<([A-Za-z/!?])`)

// FileName makes a word a part of a file's name, which can't leave its folder: no
// separators, nothing that Windows has in no name, not hidden, and not too long beside
// other parts.
func FileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, Line(s, maxFileName))
	for len(s) > maxFileName { // characters may have several bytes
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return strings.TrimLeft(s, ".")
}

// maxFileName is in bytes: file systems take 255 for the whole name.
const maxFileName = 90

// CSV writes a word into a cell that a spreadsheet shows as words and never takes
// for a formula. Commas and quotes are encoding/csv's.
func CSV(s string) string {
	s = Line(s, math.MaxInt)
	if s == "" || !strings.ContainsRune("=+-@＝＋－＠", []rune(s)[0]) {
		return s
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		return s
	}
	return "'" + s
}
