package prompts

// fitTries is how often a prompt may be mended before it is taken as it is.
const fitTries = 10

// IDSource draws n token ids.
type IDSource func(n int) ([]int32, error)

// Fitting is a prompt on its way to an exact number of tokens. Ids that are
// strung together rarely survive as they are: their text, encoded again, often
// has more tokens or fewer. What counts is the number that the server will see.
type Fitting struct {
	Ids   []int32
	Text  string
	want  int
	tries int
}

func NewFitting(ids []int32, want int) *Fitting {
	return &Fitting{Ids: ids, want: want, tries: fitTries}
}

// Run decodes and encodes again, and cuts what is too long, until the length is
// right or tokens are missing; then it says how many. Nothing here depends on
// other prompts, so many may run side by side. The missing tokens must be drawn
// in the order of the prompts, since they come from one stream.
func (f *Fitting) Run(t Tokenizer) (missing int, err error) {
	for {
		if f.Text, err = t.Decode(f.Ids); err != nil {
			return 0, err
		}
		if f.Ids, err = t.Encode(f.Text); err != nil {
			return 0, err
		}
		if len(f.Ids) == f.want || f.tries == 0 {
			return 0, nil
		}
		f.tries--
		if missing = f.want - len(f.Ids); missing > 0 {
			return missing, nil
		}
		f.Ids = f.Ids[:f.want]
	}
}

// Finish goes on behind run, with what is missing from draw.
func (f *Fitting) Finish(t Tokenizer, missing int, draw IDSource) error {
	for missing > 0 {
		more, err := draw(missing)
		if err != nil {
			return err
		}
		f.Ids = append(f.Ids, more...)
		if missing, err = f.Run(t); err != nil {
			return err
		}
	}
	return nil
}

// All is run and finish in one.
func (f *Fitting) All(t Tokenizer, draw IDSource) error {
	missing, err := f.Run(t)
	if err != nil {
		return err
	}
	return f.Finish(t, missing, draw)
}
