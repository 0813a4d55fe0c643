package sweep

import (
	"strings"
	"testing"
)

func TestCommandsAreShownWithoutSecrets(t *testing.T) {
	for in, want := range map[string]string{
		"vllm serve m --api-key sk-1 --port 8000":                     "vllm serve m --api-key <redacted> --port 8000",
		"vllm serve m --api-key=sk-1":                                 "vllm serve m --api-key=<redacted>",
		"vllm serve m --api-key $KEY":                                 "vllm serve m --api-key $KEY",
		"env HF_TOKEN=hf_1 CUDA_VISIBLE_DEVICES=0 x":                  "env HF_TOKEN=<redacted> CUDA_VISIBLE_DEVICES=0 x",
		"x --header A=b C=d --model m":                                "x --header A=<redacted> C=<redacted> --model m",
		"x --base-url http://me:pw@h:1 --base-url=http://me:pw@h:1":   "x --base-url http://redacted@h:1 --base-url=http://redacted@h:1",
		`x --extra-body {"api_key":"k","n":1} --tokenizer t --seed 1`: `x --extra-body {"api_key":"<redacted>","n":1} --tokenizer t --seed 1`,
		"x --max-tokens 5 --metadata user@host":                       "x --max-tokens 5 --metadata user@host",
	} {
		if got := strings.Join(redactCommand(strings.Split(in, " ")), " "); got != want {
			t.Errorf("%s\nis shown as %s\nwant        %s", in, got, want)
		}
	}
}
