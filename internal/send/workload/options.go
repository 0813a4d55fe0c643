package workload

import (
	"github.com/inferometer/inferometer/internal/option"
	"github.com/inferometer/inferometer/internal/send/workload/lora"
	"github.com/inferometer/inferometer/internal/send/workload/prompts"
)

// Options are what a dataset is opened with.
type Options struct {
	Dataset    string            // the name of a Kind
	NumPrompts int               // requests; for some datasets 0 or less is all of the file
	Seed       uint64            // identical seed, identical bytes
	Tokenizer  prompts.Tokenizer // nil: none is to be had
	Chat       bool              // the protocol is a chat: the server applies the chat template
	SelfTimed  bool              // requests are sent at the dataset's own times
	Lanes      int               // conversations that may be open at a time; 0: no limit
	Endless    bool              // the run ends by time: what there is is sent again and again
	Carries    *Carries          // what the protocol's requests may hold; nil: nobody asks
	// Fetch gets those files of a set on Hugging Face's hub whose names match one of the
	// patterns, and gives the folder that holds them; nil: nothing is fetched.
	Fetch func(name string, patterns []string) (folder string, err error)
	// Confined says that the options and the file are somebody else's: no file but those
	// at Path is read for them, and no address is asked.
	Confined bool
	// Reads are the folders that files may lie in which the dataset's file names in its turn.
	Reads Reads
	Shared
	Own any // the dataset's own options, as its Kind makes them; nil: their defaults
}

// Shared are the options that several datasets have in common. Each Kind says which
// of them it listens to.
type Shared struct {
	Path             string `json:"path,omitempty" flag:"dataset-path" common:"true" metavar:"FILE" help:"The dataset's file."`
	NoOversample     bool   `json:"no_oversample,omitempty" flag:"no-oversample" help:"Send fewer requests rather than prompts twice, where the dataset is too small."`
	SkipChatTemplate bool   `json:"skip_chat_template,omitempty" flag:"skip-chat-template" help:"Send prompts as they are, without the model's chat template."`
	MultimodalChat   bool   `json:"enable_multimodal_chat,omitempty" flag:"enable-multimodal-chat" help:"Send text and media as one chat message that is made here."`
	DisableShuffle   bool   `json:"disable_shuffle,omitempty" flag:"disable-shuffle" help:"Keep the dataset's order."`

	ChatTemplateKwargs ChatKwargs `json:"chat_template_kwargs,omitempty" flag:"chat-template-kwargs" metavar:"JSON" help:"Variables for the model's chat template where prompts are rendered here, as in '{\"enable_thinking\": false}'. For the server's own template use --extra-body."`
	ChatTemplateDate   ChatDate   `json:"chat_template_date,omitempty" flag:"chat-template-date" whole:"true" default:"2026-01-01" metavar:"DATE" help:"The day that chat templates see as today, as 2026-01-31 or 2026-01-31T12:00:00, so that each run sends the same prompts."`
	lora.AdapterOptions
}

// The keys of Shared.
const (
	keyPath               = "path"
	keyNoOversample       = "no_oversample"
	keySkipChatTemplate   = "skip_chat_template"
	keyDisableShuffle     = "disable_shuffle"
	keyChatTemplateKwargs = "chat_template_kwargs" // of the datasets where vLLM uses them
	keyChatTemplateDate   = "chat_template_date"   // of all that render a template
	keyMultimodalChat     = "enable_multimodal_chat"
)

// defaultPrompts is vLLM's number of requests.
const defaultPrompts = 1000

// Defaults are the options of a dataset with vLLM's defaults. The name must be known.
func Defaults(dataset string) Options {
	return Options{Dataset: dataset, NumPrompts: defaultPrompts, Own: must(Find(dataset)).Options()}
}

func must(k *Kind, err error) *Kind {
	if err != nil {
		panic(err)
	}
	return k
}

// Check says what is wrong with the options before anything is opened. What is wrong
// with one of them is an [option.Error].
func Check(o *Options) error {
	k, err := Find(o.Dataset)
	if err != nil {
		return err
	}
	if err := option.Check(o.Own); err != nil {
		return err
	}
	if err := option.Check(&o.Shared); err != nil {
		return err
	}
	if err := o.AdapterOptions.CheckTogether(); err != nil {
		return err
	}
	switch {
	case o.NumPrompts < 1 && !k.AllOfFile:
		return option.Errorf("num_prompts", "must be at least 1, not %d", o.NumPrompts)
	case !k.File && o.Path != "":
		return option.Errorf(keyPath, "can't be used with %s %s, which is made, not read", option.Ref("dataset_name"), k.Name).
			WithHint("name the file's kind with %s %s", option.Ref("dataset_name"), either(fileKinds()))
	case k.File && !k.BuiltIn && o.Path == "":
		return option.Errorf(keyPath, "is needed for %s %s", option.Ref("dataset_name"), k.Name)
	}
	if own, ok := o.Own.(interface{ checkGiven(*Options) error }); ok {
		if err := own.checkGiven(o); err != nil {
			return err
		}
	}
	return Fits(o)
}

// Content is what a dataset's requests hold beside a text.
type Content int

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

// The contents.
const (
	Text   Content = iota // nothing
	Images                // images or videos
	Sounds                // a sound
	Inputs                // several texts: a query and its documents
)
