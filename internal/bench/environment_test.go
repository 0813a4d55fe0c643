package bench

import "github.com/inferometer/inferometer/internal/spec"

// env is a host whose environment has these variables.
func env(variables map[string]string) *Host {
	return &Host{Environment: spec.Environment{Lookup: func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}}}
}
