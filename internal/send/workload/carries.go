package workload

import "github.com/inferometer/inferometer/internal/option"

// Content is what a dataset's requests hold beside a text.
type Content int

// The contents.
const (
	Text   Content = iota // nothing
	Images                // images or videos
	Sounds                // a sound
	Inputs                // several texts: a query and its documents
)

// Carries says what a request of the run's protocol may hold.
type Carries struct {
	Backend                string // its name
	Inputs, Images, Sounds bool
	TextsOnly              bool // it takes no token ids
	Query                  bool // it needs a query and documents
	Upload                 bool // it needs a sound, as a file
}

// checkCarried holds what the dataset gives against what the protocol takes.
func (k *Kind) checkCarried(o *Options) error {
	c := o.Carries
	if c == nil {
		return nil
	}
	backend := option.Ref("backend")
	refuse := func(format, hint string, args ...any) error {
		return option.Errorf("dataset_name", format, k.Name, backend, c.Backend).WithHint(hint, args...)
	}
	switch {
	case c.Upload && k.Holds != Sounds:
		return refuse("%s has no sounds, which %s %s sends", "use custom_audio")
	case c.Query && k.Holds != Inputs && !batched(o):
		return refuse("%s has no queries with documents, which %s %s sends", "use random-rerank")
	case k.Holds == Images && !c.Images:
		return refuse("%s has images, which %s %s can't send", "use %s openai-chat", backend)
	case k.Holds == Sounds && !c.Sounds:
		return refuse("%s has sounds, which %s %s can't send", "use %s openai-audio, or openai-chat", backend)
	case (k.Holds == Inputs || batched(o)) && !c.Inputs:
		return refuse("%s has several texts in a request, which %s %s can't send", "use a pooling backend, or leave %s at 1", option.Ref("batch_size"))
	case c.TextsOnly && SendsIDs(o.Own):
		return refuse("%s sends token ids, which %s %s can't send", "use %s openai or vllm; the dataset trace can send texts", backend)
	case c.Upload && o.MultimodalChat:
		return option.Errorf(keyMultimodalChat, "makes a chat message, and %s %s uploads a file", backend, c.Backend)
	}
	return nil
}

// Fits says why the dataset can't be sent by the protocol; nil: it can.
func Fits(o *Options) error {
	k, err := Find(o.Dataset)
	if err != nil {
		return err
	}
	if err := k.checkCarried(o); err != nil {
		return err
	}
	if own, ok := o.Own.(interface{ CheckWith(*Options) error }); ok {
		return own.CheckWith(o)
	}
	return nil
}

// SendsIDs says whether a dataset with these options sends token ids in place of texts.
func SendsIDs(own any) bool {
	o, ok := own.(interface{ sendsIDs() bool })
	return ok && o.sendsIDs()
}

// Batched says whether requests hold several texts by an option.
func Batched(o *Options) bool { return batched(o) }

func batched(o *Options) bool {
	b, ok := o.Own.(interface{ batchSize() int })
	return ok && b.batchSize() > 1
}
