package engine

// StepBounds are the upper bounds of the tokens of a step by which State counts steps; they are vLLM's.
var StepBounds = [...]float64{1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384}

// stepCounts are how many tokens steps held: prompt tokens computed, and tokens made by decoding.
type stepCounts struct {
	counts [len(StepBounds) + 1]uint64 // one more than bounds: the rest
	tokens uint64
}

func (c *stepCounts) add(tokens int) {
	i := 0
	for i < len(StepBounds) && float64(tokens) > StepBounds[i] {
		i++
	}
	c.counts[i]++
	c.tokens += uint64(tokens)
}
