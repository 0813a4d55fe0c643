package cli

import (
	"github.com/inferometer/inferometer/internal/bench"
	"github.com/inferometer/inferometer/internal/cli/argv"
)

// parseGoodput makes the limits of what --goodput was given; nil: none.
func parseGoodput(pairs []argv.Pair) (map[string]float64, error) {
	var clauses []string
	for _, p := range pairs {
		clauses = append(clauses, p.Key+":"+p.Value)
	}
	return bench.ParseGoodput(clauses)
}
