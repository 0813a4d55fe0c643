// Package schema holds the JSON Schemas of the files that Inferometer writes and reads.
package schema

import _ "embed" // for Result

// Result describes the JSON of a result.
//
//go:embed result.schema.json
var Result []byte
