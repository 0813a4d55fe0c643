package target

// strays can't be found here: the environment of a process is not shown.
func strays(string, int) []Stray { return nil }
