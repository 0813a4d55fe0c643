package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/inferometer/inferometer/internal/outside"
)

// A first line holds the run's Spec, and of Options what the Spec does not say. A field of Options whose tag spec names a
// key of the Spec is that key's value, unless the line's own options have another one: a fleet's whole does. Lines of
// schema 1 have no Spec, and all of Options.

// maxSpec bounds a Spec, far above what a run takes. It is in the tag of Run.Spec too.
const maxSpec = 8 << 20

// OptionsOf are what a Spec says of a run's options. What is found out beside it is for the caller to set.
func OptionsOf(spec json.RawMessage) (Options, error) {
	var o Options
	err := o.fill(spec, nil)
	return o, err
}

// fill takes the values of a Spec, but for keys that are there already.
func (o *Options) fill(spec json.RawMessage, given map[string]json.RawMessage) error {
	if len(spec) == 0 {
		return nil
	}
	said := SpecKeys(spec)
	to := reflect.ValueOf(o).Elem()
	for i := range to.NumField() {
		tag := to.Type().Field(i).Tag
		key, _, _ := strings.Cut(tag.Get("json"), ",")
		name := tag.Get("spec")
		text, ok := said[name]
		if _, own := given[key]; own || !ok || text == `"inf"` { // a rate of 0 has no bound
			continue
		}
		if err := json.Unmarshal([]byte(text), to.Field(i).Addr().Interface()); err != nil {
			return fmt.Errorf("%s of the Spec: %w", name, err)
		}
	}
	if _, own := given["workload"]; !own {
		o.Workload = workloadOf(said)
	}
	return nil
}

// MarshalJSON implements json.Marshaler.
func (r *Run) MarshalJSON() ([]byte, error) {
	type plain Run
	if len(r.Spec) == 0 {
		return marshal((*plain)(r))
	}
	found, err := r.found()
	if err != nil {
		return nil, err
	}
	return marshal(struct {
		*plain
		Options json.RawMessage `json:"options"`
	}{(*plain)(r), found})
}

// found are the options that the Spec does not say, as JSON.
func (r *Run) found() (json.RawMessage, error) {
	said, err := OptionsOf(r.Spec)
	if err != nil {
		return nil, err
	}
	of, by := reflect.ValueOf(&r.Options).Elem(), reflect.ValueOf(&said).Elem()
	b := []byte{'{'}
	for i := range of.NumField() {
		if reflect.DeepEqual(of.Field(i).Interface(), by.Field(i).Interface()) {
			continue
		}
		value, err := marshal(of.Field(i).Interface())
		if err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		key, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
		b = fmt.Appendf(b, "%q:%s", key, value)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Run) UnmarshalJSON(b []byte) error {
	type plain Run
	if err := json.Unmarshal(b, (*plain)(r)); err != nil {
		return err
	}
	if len(r.Spec) > maxSpec {
		return nil // which check says
	}
	var given struct {
		Options map[string]json.RawMessage `json:"options"`
	}
	if err := json.Unmarshal(b, &given); err != nil {
		return err
	}
	return r.Options.fill(r.Spec, given.Options)
}

// marshal leaves the bytes of texts as they are: those of a Spec are compared.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// SpecKeys are the keys of a Spec's sections, as in load.seed, with their values as JSON. What is no Spec has none.
func SpecKeys(spec json.RawMessage) map[string]string {
	keys := map[string]string{}
	var sections map[string]json.RawMessage
	_ = json.Unmarshal(spec, &sections)
	for name, section := range sections {
		var values map[string]json.RawMessage
		_ = json.Unmarshal(section, &values)
		for key, value := range values {
			var compact bytes.Buffer
			_ = json.Compact(&compact, value) // it was just parsed
			keys[name+"."+key] = compact.String()
		}
	}
	return keys
}

// free are the keys of a Spec that change neither bytes nor times: the place, its keys. What they are of is held by its digest.
var free = map[string]bool{
	"server.urls": true, "server.login": true, "server.api_key": true, "server.headers": true, "server.insecure": true, "server.engine": true, "server.http2": true,
	"server.no_keep_alive": true, "server.proxy": true, "server.proxy_login": true, "server.ready_check_timeout_sec": true, "server.request_id_prefix": true, "server.balance": true,
	"server.replica_key": true, "server.replicas": true, "server.metrics_urls": true, "server.metrics_map": true, // who is looked at
	"server.model": true, "server.served_model_name": true, "server.tokenizer": true, "server.tokenizer_revision": true, "server.tokenizer_mode": true, "server.skip_tokenizer_init": true,
	"server.endpoint": true, // compared by itself
	"dataset.path":    true, "dataset.hub_revision": true, "load.request_timeout": true,
}

// Binds says whether bytes or times may hang on a key of a Spec.
func Binds(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return !free[key] && !slices.Contains([]string{"keep", "judge", "fleet", "version"}, section)
}

// maxValue bounds a value of Options.Workload: a body's own fields may be long.
const maxValue = 200

// workloadOf are the keys that bytes or times may hang on, and the dataset's file: two runs are told apart by more than a hash.
func workloadOf(said map[string]string) map[string]string {
	keys := map[string]string{}
	for key, value := range said {
		if Binds(key) || key == "dataset.path" {
			keys[key] = outside.Text(value, maxValue)
		}
	}
	return keys
}
