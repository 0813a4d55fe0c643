package sweep

import "slices"

// invalid says that our verdict on a result is INVALID. Results of other tools have none.
func (o Object) invalid() bool {
	level, _ := o.judged("level").(string)
	return level == "INVALID"
}

// few says that a result has too few values for a percentile, by its key.
func (o Object) few(key string) bool {
	list, _ := o.judged("unsupported").([]any)
	return slices.ContainsFunc(list, func(v any) bool {
		name, ok := v.(string)
		return ok && (key == name || key == name+"_ms")
	})
}

// judged is what our verdict holds under a key; nil: nothing.
func (o Object) judged(key string) any {
	own, _ := o.Get(ownKey)
	result, _ := own.(Object)
	v, _ := result.Get("verdict")
	verdict, _ := v.(Object)
	value, _ := verdict.Get(key)
	return value
}
