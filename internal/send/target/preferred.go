package target

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// Preferred are models in the order in which somebody who named none wants them: what is loaded
// before what would have to be, and what generates text before what only embeds. Only
// Ollama tells; others keep their order.
func (t *Target) Preferred(ctx context.Context, kind string, models []Model) []Model {
	if kind != Ollama || len(models) < 2 {
		return models
	}
	rank := map[string]int{}
	for _, m := range t.ollamaModels(ctx, "/api/ps") {
		rank[m.Name]--
	}
	for _, m := range t.ollamaModels(ctx, "/api/tags") {
		if strings.Contains(m.Details.Family, "bert") { // an encoder
			rank[m.Name] += 2
		}
	}
	models = slices.Clone(models)
	slices.SortStableFunc(models, func(a, b Model) int { return rank[a.ID] - rank[b.ID] })
	return models
}

// ollamaModel is an entry of Ollama's own lists.
type ollamaModel struct {
	Name    string `json:"name"`
	Details struct {
		Family string `json:"family"`
	} `json:"details"`
}

func (t *Target) ollamaModels(ctx context.Context, path string) []ollamaModel {
	b, err := t.get(ctx, path)
	var list struct {
		Models []ollamaModel `json:"models"`
	}
	if err != nil || json.Unmarshal(b, &list) != nil {
		return nil
	}
	return list.Models
}
