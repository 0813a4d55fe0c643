package page

import (
	"math"

	"github.com/inferometer/inferometer/internal/judge/chartdata"
)

// columns are the requests for the page's script: by columns, in milliseconds and
// as differences, since there may be ten thousand of them.
type columns struct {
	Index    []int     `json:"i"`
	Due      []float64 `json:"due"`
	Wait     []float64 `json:"wait"`  // from due to sent
	First    []float64 `json:"first"` // from sent; negative: none came
	End      []float64 `json:"end"`   // from sent
	Tokens   []int     `json:"tokens"`
	Outcome  []int     `json:"outcome"` // into Outcomes
	Error    []int     `json:"error"`   // into Errors
	Outcomes []string  `json:"outcomes"`
	Errors   []string  `json:"errors"`
	OK       []int     `json:"ok"` // of each of Outcomes: 1 if it is a success
}

func newColumns(rows []chartdata.Row) *columns {
	c := &columns{Errors: []string{""}}
	outcomes, errors := map[string]int{}, map[string]int{"": 0}
	for i := range rows {
		r := &rows[i]
		c.Index = append(c.Index, r.Index)
		c.Due = append(c.Due, tenth(r.Due))
		c.Wait = append(c.Wait, tenth(r.Sent-r.Due))
		first := -1.0
		if r.First >= 0 {
			first = tenth(r.First - r.Sent)
		}
		c.First = append(c.First, first)
		c.End = append(c.End, tenth(r.End-r.Sent))
		c.Tokens = append(c.Tokens, r.Tokens)
		known := len(c.Outcomes)
		c.Outcome = append(c.Outcome, place(outcomes, &c.Outcomes, string(r.Outcome)))
		if len(c.Outcomes) > known {
			ok := 0
			if r.OK {
				ok = 1
			}
			c.OK = append(c.OK, ok)
		}
		c.Error = append(c.Error, place(errors, &c.Errors, r.Error))
	}
	return c
}

// tenth is milliseconds with one decimal, from seconds.
func tenth(s float64) float64 { return math.Round(s*1e4) / 10 }

func place(known map[string]int, list *[]string, text string) int {
	at, ok := known[text]
	if !ok {
		at = len(*list)
		known[text] = at
		*list = append(*list, text)
	}
	return at
}
