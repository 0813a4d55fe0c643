package foreign

import (
	"encoding/json"
	"strconv"
)

// oursWorkload is what our result says of what was sent. Keys came with the second recipe of the hash.
type oursWorkload struct {
	SHA       string            `json:"sha256"`
	Recipe    int               `json:"recipe"`
	Keys      map[string]string `json:"keys"`
	Dataset   string            `json:"dataset"`
	Seed      json.Number       `json:"seed"`
	Pace      string            `json:"pace"`
	Planned   json.Number       `json:"requests_planned"`
	IgnoreEOS bool              `json:"ignore_eos"`
	Tokenizer string            `json:"tokenizer"`
	Sent      int               `json:"requests_sent"`
}

// firstRecipe is that of results which tell none.
const firstRecipe = 1

func (w *oursWorkload) facts() Workload {
	return Workload{
		SHA: w.SHA, Recipe: max(w.Recipe, firstRecipe), Named: w.Recipe <= firstRecipe, Sent: w.Sent, Tokenizer: w.Tokenizer, Keys: w.Keys,
		Told: map[string]string{
			"dataset": w.Dataset, "seed": w.Seed.String(), "pace": w.Pace, "requests planned": w.Planned.String(), "ignore_eos": strconv.FormatBool(w.IgnoreEOS),
		},
	}
}
