package sweep

import "slices"

// invalid says that our verdict on a result is INVALID. Results of other tools have none.
func invalid(o Object) bool {
	level, _ := judged(o, "level").(string)
	return level == "INVALID"
}

// few says that a result has too few values for a percentile, by its key.
func few(o Object, key string) bool {
	list, _ := judged(o, "unsupported").([]any)
	return slices.ContainsFunc(list, func(v any) bool {
		name, ok := v.(string)
		return ok && (key == name || key == name+"_ms")
	})
}

// judged is what our verdict holds under a key; nil: nothing.
func judged(o Object, key string) any {
	result, _ := o.Get(ownKey).(Object)
	verdict, _ := result.Get("verdict").(Object)
	return verdict.Get(key)
}
