package numpy

// Permutation is permutation(n): the numbers from 0 to n-1, shuffled.
// choice(n, size=k, replace=False) is its first k.
func (r *RandomState) Permutation(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = int32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := r.Randint(0, int64(i)+1) // random_interval is the same masking and rejection
		list[i], list[j] = list[j], list[i]
	}
	return list
}
