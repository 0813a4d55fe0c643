package bench

// env is a host whose environment has these variables.
func env(variables map[string]string) *Host {
	return &Host{Environment: Environment{Lookup: func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}}}
}
