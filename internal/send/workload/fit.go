package workload

// fitTries is how often a prompt may be mended before it is taken as it is.
const fitTries = 10

// idSource draws n token ids.
type idSource func(n int) ([]int32, error)

// fitting is a prompt on its way to an exact number of tokens. Ids that are
// strung together rarely survive as they are: their text, encoded again, often
// has more tokens or fewer. What counts is the number that the server will see.
type fitting struct {
	ids   []int32
	text  string
	want  int
	tries int
}

func newFitting(ids []int32, want int) *fitting {
	return &fitting{ids: ids, want: want, tries: fitTries}
}

// run decodes and encodes again, and cuts what is too long, until the length is
// right or tokens are missing; then it says how many. Nothing here depends on
// other prompts, so many may run side by side. The missing tokens must be drawn
// in the order of the prompts, since they come from one stream.
func (f *fitting) run(t Tokenizer) (missing int, err error) {
	for {
		if f.text, err = t.Decode(f.ids); err != nil {
			return 0, err
		}
		if f.ids, err = t.Encode(f.text); err != nil {
			return 0, err
		}
		if len(f.ids) == f.want || f.tries == 0 {
			return 0, nil
		}
		f.tries--
		if missing = f.want - len(f.ids); missing > 0 {
			return missing, nil
		}
		f.ids = f.ids[:f.want]
	}
}

// finish goes on behind run, with what is missing from draw.
func (f *fitting) finish(t Tokenizer, missing int, draw idSource) error {
	for missing > 0 {
		more, err := draw(missing)
		if err != nil {
			return err
		}
		f.ids = append(f.ids, more...)
		if missing, err = f.run(t); err != nil {
			return err
		}
	}
	return nil
}

// all is run and finish in one.
func (f *fitting) all(t Tokenizer, draw idSource) error {
	missing, err := f.run(t)
	if err != nil {
		return err
	}
	return f.finish(t, missing, draw)
}
