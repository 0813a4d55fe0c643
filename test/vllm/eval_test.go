package vllm

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/inferometer/inferometer/test/realserver"
)

// weights makes a folder with the model's tokenizer and weights that differ from token to token:
// with dummy weights every token is as likely as any other, and a sum would only count them.
const weights = `
import json, os, shutil, sys, torch
from safetensors.torch import save_file
src, dst = sys.argv[1:3]
for f in os.listdir(src):
    if f != "config.json":
        shutil.copy(os.path.join(src, f), dst)
c = json.load(open(os.path.join(src, "config.json")))
c.update(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1, head_dim=32)
json.dump(c, open(os.path.join(dst, "config.json"), "w"))
g = torch.Generator().manual_seed(1)
def r(*s): return torch.randn(*s, generator=g) * 0.3
w = {"model.embed_tokens.weight": r(c["vocab_size"], 64), "model.norm.weight": torch.ones(64)}
for i in range(2):
    p = f"model.layers.{i}."
    for name, shape in {"self_attn.q_proj": (64, 64), "self_attn.k_proj": (32, 64), "self_attn.v_proj": (32, 64), "self_attn.o_proj": (64, 64),
                        "mlp.gate_proj": (128, 64), "mlp.up_proj": (128, 64), "mlp.down_proj": (64, 128)}.items():
        w[p + name + ".weight"] = r(*shape)
    for name in ("input_layernorm", "post_attention_layernorm"):
        w[p + name + ".weight"] = torch.ones(64)
save_file(w, os.path.join(dst, "model.safetensors"), metadata={"format": "pt"})
`

// On the same server the real lm_eval and we find the same choices equally likely, and score
// every question the same.
func TestSameLikelihoods(t *testing.T) {
	lmEval := realserver.Lines(t, "INFEROMETER_LM_EVAL", 1, "make test-vllm")[0]
	v := installed(t)
	model := t.TempDir()
	python := filepath.Join(filepath.Dir(v.command), "python")
	if out, err := exec.Command(python, "-c", weights, v.model, model).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	port := realserver.FreePort(t)
	s := realserver.Start(t, port, startup, v.env, v.command, "serve", model, "--served-model-name", "tiny", "--host", "127.0.0.1", "--port", port,
		"--dtype", "float32", "--enforce-eager", "--max-model-len", "4096", "--enable-tokenizer-info-endpoint")
	program := realserver.Build(t)
	realserver.SameLikelihoods(t, program, lmEval, s.Base, "tiny", model)
}
