package usage

import "strings"

// Nearest is the one of some words that a wrong one was most likely meant to be, or "": one with
// few other letters, or else the shortest that begins or ends with it (rand, concurency), or
// else the longest that it begins with (openai-chat-completions).
func Nearest(wrong string, words []string) string {
	if near := NearestWithin(wrong, words, len(wrong)/3); near != "" || len(wrong) < 3 {
		return near
	}
	whole, part := "", ""
	for _, word := range words {
		if (whole == "" || len(word) < len(whole)) && (strings.HasPrefix(word, wrong) || endsLike(word, wrong)) {
			whole = word
		}
		if len(word) > max(3, len(part)) && strings.HasPrefix(wrong, word) {
			part = word
		}
	}
	if whole != "" {
		return whole
	}
	return part
}

// endsLike says that the last parts of a word, between dashes, are the wrong one, or nearly.
func endsLike(word, wrong string) bool {
	for i := range word {
		if word[i] == '-' || word[i] == '_' {
			if end := word[i+1:]; end == wrong || len(wrong) >= 6 && editDistance(wrong, end) <= len(wrong)/5 {
				return true
			}
		}
	}
	return false
}

// NearestWithin is the same with at most so many wrong letters.
func NearestWithin(wrong string, words []string, most int) string {
	best, least := "", most+1
	for _, word := range words {
		if d := editDistance(wrong, word); d < least || d == least && word < best {
			best, least = word, d
		}
	}
	return best
}

// editDistance is the number of letters to insert, delete, replace or swap with
// the neighbour to get from a to b (optimal string alignment).
func editDistance(a, b string) int {
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range old {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := old[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, old[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, old, row = old, row, older
	}
	return old[len(b)]
}
