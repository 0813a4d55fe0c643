package score

import (
	"strings"

	"github.com/inferometer/inferometer/internal/journal"
)

// refusals are how a text begins in which a model declines. They count only where no
// answer was found.
var refusals = []string{
	"i can't", "i cannot", "i can not", "i am not able to", "i'm not able to", "i am unable to", "i'm unable to",
	"i won't", "i will not", "i'm sorry", "i am sorry", "sorry, ", "i apologize", "as an ai", "i must decline",
}

// refused says that an answer which holds none is a refusal: by its server's word, or by
// how it begins.
func refused(a *journal.Answer) bool {
	if a.Refusal || a.FinishReason == "content_filter" {
		return true
	}
	begin := strings.TrimLeftFunc(first(a.Text, 200), isSpace)
	begin = strings.ReplaceAll(strings.ToLower(begin), "’", "'")
	for _, r := range refusals {
		if strings.HasPrefix(begin, r) {
			return true
		}
	}
	return false
}
