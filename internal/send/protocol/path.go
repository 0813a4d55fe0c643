package protocol

import (
	"net/url"
	"strings"
)

// ModelInPath stands for the model's name in the path of an endpoint.
const ModelInPath = "{model}"

// FillPath puts the model's name into a path that has a place for it. It is one segment,
// whatever is in it.
func FillPath(path, model string) string {
	if !strings.Contains(path, ModelInPath) {
		return path
	}
	return strings.ReplaceAll(path, ModelInPath, url.PathEscape(model))
}
