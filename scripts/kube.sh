#!/usr/bin/env bash
# Builds the real Kubernetes control plane (kube-apiserver, kube-controller-manager), kubectl, helm, kubeconform and etcd from
# their Go modules into one cache folder: no container runtime, no kubelet. Some 15 minutes of CPU time the first time
# (kube-apiserver alone 8), 440 MB.
# Usage: kube.sh                    prints the folder that holds the programs, and schemas/ for kubeconform
#        kube.sh lint               builds helm, kubeconform and the schemas only, and prints the folder
#        kube.sh up FOLDER          starts etcd, the API server and the controller manager on 127.0.0.1 with all their state in
#                                   FOLDER; prints the kubeconfig (cluster admin); their pids are in FOLDER/pids
#        kube.sh down FOLDER        stops exactly these processes
# Ports: KUBE_PORT (16443), +1 etcd client, +2 etcd peer, +3 controller manager. Needs go, openssl, python3.
set -euo pipefail
cache=${INFEROMETER_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/inferometer}
kube=v1.36.3
etcd=v3.7.3
helm=v4.3.1
kubeconform=v0.8.0
home=$cache/kube-$kube
port=${KUBE_PORT:-16443}

# The folder of the module k8s.io/kubernetes.
module() { go mod download -json "k8s.io/kubernetes@$kube" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p'; }

# helm, kubeconform, and strict schemas of the same release from the API description in the module: kubeconform's own are on the web.
build_lint() {
  mkdir -p "$home"
  [ -x "$home/kubeconform" ] || GOBIN=$home go install "github.com/yannh/kubeconform/cmd/kubeconform@$kubeconform" >&2
  [ -x "$home/helm" ] || GOBIN=$home go install "helm.sh/helm/${helm%%.*}/cmd/helm@$helm" >&2
  [ -d "$home/schemas" ] || {
    mkdir -p "$home/schemas.part"
    python3 - "$(module)/api/openapi-spec/swagger.json" "$home/schemas.part" <<'P'
import json, sys
defs = json.load(open(sys.argv[1]))["definitions"]
for name, d in defs.items():
    if d.get("format") == "int-or-string" or name.endswith(".resource.Quantity"):
        d.clear(); d["oneOf"] = [{"type": "string"}, {"type": "number"}]
    elif "properties" in d and "additionalProperties" not in d:
        d["additionalProperties"] = False
def refs(x):
    if isinstance(x, dict):
        for k, v in x.items():
            if k == "$ref" and isinstance(v, str): yield v.rsplit("/", 1)[1]
            else: yield from refs(v)
    elif isinstance(x, list):
        for v in x: yield from refs(v)
for name, d in defs.items():
    for gvk in d.get("x-kubernetes-group-version-kind", []):
        need, todo = {}, [name]
        while todo:
            n = todo.pop()
            if n not in need: need[n] = defs[n]; todo += refs(defs[n])
        group = gvk["group"].split(".")[0]
        file = "-".join(x for x in (gvk["kind"], group, gvk["version"]) if x).lower() + ".json"
        json.dump({"$ref": "#/definitions/" + name, "definitions": need}, open(f"{sys.argv[2]}/{file}", "w"))
P
    mv "$home/schemas.part" "$home/schemas"
  }
}

build_all() {
  build_lint
  if [ ! -x "$home/etcd" ]; then
    # Its go.mod has replace lines, so `go install MODULE@VERSION` refuses it.
    tmp=$(mktemp -d)
    printf 'module recipe\n\ngo 1.26\n\nrequire go.etcd.io/etcd/server/v3 %s\n' "$etcd" > "$tmp/go.mod"
    (cd "$tmp" && go build -mod=mod -ldflags '-s -w' -o "$home/etcd" go.etcd.io/etcd/server/v3) >&2
    rm -rf "$tmp"
  fi
  # k8s.io/kubernetes points at its staging folders, which its module archive leaves out: they are published as modules v0.x
  # of the same number, so a small module replaces them.
  if [ ! -x "$home/kubectl" ] || [ ! -x "$home/kube-apiserver" ] || [ ! -x "$home/kube-controller-manager" ]; then
    dir=$(module)
    mkdir -p "$home/src"
    { printf 'module recipe\n\n'; grep -E '^(go|godebug) ' "$dir/go.mod"; printf '\nrequire k8s.io/kubernetes %s\n\nreplace (\n' "$kube"
      sed -n "s|^\t\(k8s.io/[^ ]*\) => ./staging/.*|\t\1 => \1 v0${kube#v1}|p" "$dir/go.mod"; echo ')'; } > "$home/src/go.mod"
    install -m 644 "$dir/go.sum" "$home/src/go.sum"
    for c in kubectl kube-apiserver kube-controller-manager; do
      [ -x "$home/$c" ] || (cd "$home/src" && go build -mod=mod -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$kube" \
        -o "$home/$c" "k8s.io/kubernetes/cmd/$c") >&2
    done
  fi
}

start() { # start NAME COMMAND…: in the background, its pid and log kept
  local name=$1
  shift
  nohup "$@" > "$state/$name.log" 2>&1 < /dev/null &
  echo "$name $!" >> "$state/pids"
}

case ${1:-} in
'') build_all; echo "$home" ;;
lint) build_lint; echo "$home" ;;
up)
  build_all
  state=$(mkdir -p "$2" && cd "$2" && pwd)
  if [ -s "$state/pids" ]; then echo "already up? see $state/pids" >&2; exit 1; fi
  if [ ! -s "$state/admin.conf" ]; then
    cd "$state"
    key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
    key ca; openssl req -x509 -new -key ca.key -days 3650 -subj /CN=test-ca -out ca.pem 2>/dev/null
    cert() { # cert NAME SUBJECT EXTENSIONS
      key "$1"; openssl req -new -key "$1.key" -subj "$2" -out "$1.csr" 2>/dev/null
      openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 3650 -out "$1.pem" -extfile <(echo "$3") 2>/dev/null
    }
    cert server /CN=kube-apiserver 'subjectAltName=IP:127.0.0.1,IP:10.0.0.1,DNS:localhost,DNS:kubernetes.default.svc'
    cert admin /O=system:masters/CN=admin 'extendedKeyUsage=clientAuth'
    openssl genrsa -out sa.key 2048 2>/dev/null
    k() { "$home/kubectl" --kubeconfig "$state/admin.conf" config "$@" >/dev/null; }
    k set-cluster local --server="https://127.0.0.1:$port" --certificate-authority=ca.pem --embed-certs
    k set-credentials admin --client-certificate=admin.pem --client-key=admin.key --embed-certs
    k set-context local --cluster=local --user=admin; k use-context local
  fi
  start etcd "$home/etcd" --data-dir "$state/etcd" --listen-client-urls "http://127.0.0.1:$((port+1))" \
    --advertise-client-urls "http://127.0.0.1:$((port+1))" --listen-peer-urls "http://127.0.0.1:$((port+2))" \
    --initial-advertise-peer-urls "http://127.0.0.1:$((port+2))" --initial-cluster "default=http://127.0.0.1:$((port+2))"
  start apiserver "$home/kube-apiserver" --etcd-servers "http://127.0.0.1:$((port+1))" --bind-address 127.0.0.1 \
    --advertise-address 127.0.0.1 --secure-port "$port" --service-cluster-ip-range 10.0.0.0/24 --authorization-mode RBAC \
    --client-ca-file "$state/ca.pem" --tls-cert-file "$state/server.pem" --tls-private-key-file "$state/server.key" \
    --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$state/sa.key" \
    --service-account-signing-key-file "$state/sa.key" --endpoint-reconciler-type none
  for _ in $(seq 240); do "$home/kubectl" --kubeconfig "$state/admin.conf" get --raw /readyz >/dev/null 2>&1 && break; sleep 0.5; done
  "$home/kubectl" --kubeconfig "$state/admin.conf" get --raw /readyz >/dev/null
  start controller-manager "$home/kube-controller-manager" --kubeconfig "$state/admin.conf" --secure-port "$((port+3))" \
    --bind-address 127.0.0.1 --leader-elect=false --root-ca-file "$state/ca.pem" \
    --service-account-private-key-file "$state/sa.key" --use-service-account-credentials --cert-dir "$state/cm"
  # A pod needs its namespace's default service account, which the controller manager makes.
  for _ in $(seq 120); do "$home/kubectl" --kubeconfig "$state/admin.conf" -n default get sa default >/dev/null 2>&1 && break; sleep 0.5; done
  echo "$state/admin.conf" ;;
down)
  [ -s "$2/pids" ] || exit 0
  tac "$2/pids" | while read -r _ pid; do kill "$pid" 2>/dev/null && tail --pid="$pid" -f /dev/null || true; done
  rm -f "$2/pids" ;;
*) echo "usage: kube.sh [lint | up FOLDER | down FOLDER]" >&2; exit 2 ;;
esac
