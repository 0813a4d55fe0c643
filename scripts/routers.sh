#!/usr/bin/env bash
# Installs a real router, once and under the cache folder; later runs cost nothing.
# Usage: routers.sh vllm-router|sglang-router|smg   prints one line: its command. 170 to 200 MB and 15 s each
#        routers.sh litellm                         likewise: 750 MB, a minute of CPU time
#        routers.sh dynamo                          prints a Python that has NVIDIA Dynamo's frontend and its mock workers (-m dynamo.frontend,
#                                                   -m dynamo.mocker); the model that these play lies in model beside its bin. 500 MB, 25 s
#        routers.sh nginx                           prints the system's nginx, or one from the system's package, which is unpacked and not installed
#        routers.sh all                             prints what env sets for test/routers: INFEROMETER_SMG=… and so on
set -euo pipefail
shopt -s inherit_errexit
here=$(cd "$(dirname "$0")" && pwd)
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}

# venv NAME VERSION PACKAGE… -- PACKAGE…: makes an environment. Packages before -- come without those that they ask for, among which are
# whole inference engines; what the routers do import stands behind it.
venv() {
  home=$cache/$1-$2
  shift 2
  local bare=()
  while [ "$1" != -- ]; do
    bare+=("$1")
    shift
  done
  shift
  [ ! -e "$home/ok" ] || return 0
  rm -rf "$home"
  python3 -m venv "$home"
  # uv finds versions that fit each other in seconds where pip tries for minutes.
  "$home/bin/pip" install --quiet --disable-pip-version-check uv==0.9.7 >&2
  "$home/bin/uv" pip install --quiet --python "$home/bin/python" --no-deps "${bare[@]}" >&2
  "$home/bin/uv" pip install --quiet --python "$home/bin/python" "$@" >&2
  touch "$home/ok"
}

vllm_router() {
  venv vllm-router 0.1.16 vllm-router==0.1.16 -- setproctitle aiohttp requests uvicorn fastapi orjson
  printf '%s\n' "$home/bin/vllm-router"
}

sglang_router() {
  venv sglang-router 0.3.2 sglang-router==0.3.2 -- setproctitle aiohttp requests uvicorn fastapi orjson
  printf '%s\n' "$home/bin/sglang-router"
}

smg() {
  venv smg 1.13.0 smg==1.13.0 -- setproctitle requests pyyaml grpcio
  printf '%s\n' "$home/bin/smg"
}

litellm() { "$here/litellm.sh"; }

# The mock workers generate nothing, but want a model's tokenizer, chat template and shape.
dynamo() {
  venv dynamo 1.6.1 ai-dynamo==1.6.1 ai-dynamo-runtime==1.6.1 -- uvloop pydantic prometheus_client pyzmq msgspec transformers fastapi aiohttp pyyaml numpy
  if [ ! -e "$home/model/config.json" ]; then
    mkdir -p "$home/model"
    cp "$("$here/tokenizers.sh" qwen2_5)"/*.json "$home/model/"
    printf '%s\n' '{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "vocab_size": 151936, "hidden_size": 64, "intermediate_size": 128,' \
      '"num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "max_position_embeddings": 32768, "bos_token_id": 151643,' \
      '"eos_token_id": 151645, "torch_dtype": "bfloat16"}' >"$home/model/config.json"
  fi
  printf '%s\n' "$home/bin/python"
}

nginx() {
  local found
  if found=$(PATH=$PATH:/usr/sbin type -P nginx); then
    printf '%s\n' "$found"
    return
  fi
  home=$cache/nginx
  if [ ! -x "$home/usr/sbin/nginx" ]; then
    mkdir -p "$home"
    (cd "$home" && apt-get download nginx >&2 && dpkg -x nginx_*.deb .)
  fi
  printf '%s\n' "$home/usr/sbin/nginx"
}

case ${1:-} in
vllm-router | sglang-router | smg | litellm | dynamo | nginx) "${1//-/_}" ;;
all)
  for name in vllm_router sglang_router smg litellm dynamo nginx; do
    value=$("$name") # by itself, so that a failure ends this
    printf 'INFEROMETER_%s=%s\n' "${name^^}" "$value"
  done
  ;;
*)
  sed -n '3,9s/^# //p' "$0" >&2
  exit 2
  ;;
esac
