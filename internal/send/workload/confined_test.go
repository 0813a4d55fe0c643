package workload

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inferometer/inferometer/internal/option"
)

// A dataset that came from elsewhere can't make us read a file of this machine: whatever
// would is refused. Each kind is here, so that a new one has to say what it reads.
func TestConfined(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("17\nsecret words\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "data.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const only = "only its own files" // nothing in it names others
	refused := map[string]func(*testing.T) (Options, string){
		"random": func(t *testing.T) (Options, string) {
			o := Defaults("random")
			f, _ := option.Find(o.Own, "input_len_dist")
			if err := f.SetJSON(o.Own, []byte(`"empirical:file=`+secret+`"`)); err != nil {
				t.Fatal(err)
			}
			return o, "names a file"
		},
		"random-mm": func(t *testing.T) (Options, string) {
			o := Defaults("random-mm")
			return o, only
		},
		"custom_audio": func(t *testing.T) (Options, string) {
			o := Defaults("custom_audio")
			o.Path = file(`{"audio":"` + secret + `"}`)
			return o, "files of sounds"
		},
		"custom_image": func(t *testing.T) (Options, string) {
			o := Defaults("custom_image")
			o.Path = file(`{"prompt":"x","image_files":["` + secret + `"]}`)
			o.Own.(*CustomImageOptions).Embed = true
			return o, "reads images"
		},
		"hf": func(t *testing.T) (Options, string) {
			o := Defaults("hf")
			o.Path, o.Own.(*HFOptions).Categories = t.TempDir(), "x/../../secret"
			return o, "no path"
		},
		"conversations": func(t *testing.T) (Options, string) {
			o := Defaults("conversations")
			o.Chat, o.Path = true, file(`{"filetype":"generate_conversations","num_conversations":1,"text_files":["`+secret+`"],`+
				`"prompt_input":{"num_turns":{"distribution":"constant","value":2},"prefix_num_tokens":{"distribution":"constant","value":2},"num_tokens":{"distribution":"constant","value":2}},`+
				`"prompt_output":{"num_tokens":{"distribution":"constant","value":2}}}`)
			return o, "text_files"
		},
	}
	refused["eval"] = func(*testing.T) (Options, string) {
		o := Defaults("eval")
		o.Own.(*EvalOptions).Task = "gsm8k"
		return o, "names files of its own"
	}
	for _, name := range []string{
		"sharegpt", "custom", "sonnet", "prefix_repetition", "spec_bench", "speed_bench", "multi-turn", "burstgpt", "timed_trace", "trace", "random-rerank",
	} {
		refused[name] = func(*testing.T) (Options, string) { return Options{}, only }
	}
	for _, k := range Kinds() {
		opened, known := refused[k.Name]
		if !known {
			t.Errorf("%s: does it read other files than those of its path? confine must refuse them", k.Name)
			continue
		}
		o, said := opened(t)
		if said == only {
			continue
		}
		o.Confined, o.NumPrompts = true, 1
		d, err := k.checkedOpen(o)
		if err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v", k.Name, err)
		}
		if err == nil {
			_ = d.Close()
		}
	}
}
