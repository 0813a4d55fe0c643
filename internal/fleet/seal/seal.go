// Package seal encrypts the secrets of a run, such as the target's API key, to one agent:
// what lies between leader and agent, NATS included, sees bytes that only this agent opens,
// for this run. It is HPKE (RFC 9180) in its base mode with X25519, HKDF-SHA256 and
// AES-256-GCM.
//
// It keeps a secret; it does not say who sealed it. Who may send an offer to an agent is
// decided by the permissions on NATS.
package seal

import (
	"crypto/ecdh"
	"crypto/hpke"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/inferometer/inferometer/internal/fleet/message"
)

// The bounds of what is sealed together. An API key has some hundred bytes.
const (
	mostSecrets = 64
	mostPlain   = 64 << 10
	overhead    = 32 + 16 // X25519's encapsulated key, AES-GCM's tag
	mostSealed  = mostPlain + overhead
)

func kem() hpke.KEM   { return hpke.DHKEM(ecdh.X25519()) }
func kdf() hpke.KDF   { return hpke.HKDFSHA256() }
func aead() hpke.AEAD { return hpke.AES256GCM() }

// Key is an agent's. It lives in memory only, as long as the agent's process does.
type Key struct{ private hpke.PrivateKey }

// NewKey makes a key.
func NewKey() (*Key, error) {
	private, err := kem().GenerateKey()
	if err != nil {
		return nil, fmt.Errorf("make a key for secrets: %w", err)
	}
	return &Key{private}, nil
}

// Public is what others seal with: message.Hello.Key.
func (k *Key) Public() []byte { return k.private.PublicKey().Bytes() }

// Seal encrypts secrets to an agent's public key. They open for this run and this agent only.
func Seal(public []byte, run, agent string, secrets map[string]string) ([]byte, error) {
	info, err := purpose(run, agent)
	if err != nil {
		return nil, err
	}
	to, err := kem().NewPublicKey(public)
	if err != nil {
		return nil, errors.New("the agent's key is no X25519 key: nothing can be sealed to it")
	}
	for name, secret := range secrets {
		if !utf8.ValidString(name) || !utf8.ValidString(secret) {
			return nil, errors.New("a secret is no text in UTF-8") // JSON would change it without a word
		}
	}
	plain, err := json.Marshal(secrets)
	if err != nil {
		return nil, errors.New("the secrets can't be written down") // the error might show them
	}
	if len(secrets) > mostSecrets || len(plain) > mostPlain {
		return nil, fmt.Errorf("%d secrets of %d bytes are too many: at most %d of %d bytes", len(secrets), len(plain), mostSecrets, mostPlain)
	}
	sealed, err := hpke.Seal(to, kdf(), aead(), info, plain)
	if err != nil {
		return nil, fmt.Errorf("seal the secrets: %w", err)
	}
	return sealed, nil
}

// errShut says no more than this: what is inside, or why it doesn't open, is nobody's business.
var errShut = errors.New("the sealed secrets do not open: they were made for another agent, another process of it, or another run, or were changed on their way")

// Open is the inverse of Seal. It gives nothing of what was sealed for another run or agent.
func (k *Key) Open(run, agent string, sealed []byte) (map[string]string, error) {
	info, err := purpose(run, agent)
	if err != nil {
		return nil, err
	}
	if len(sealed) < overhead || len(sealed) > mostSealed {
		return nil, errShut
	}
	plain, err := hpke.Open(k.private, kdf(), aead(), info, sealed)
	if err != nil {
		return nil, errShut
	}
	var secrets map[string]string
	if err := json.Unmarshal(plain, &secrets); err != nil || len(secrets) > mostSecrets {
		return nil, errors.New("what was sealed is no list of secrets")
	}
	return secrets, nil
}

// purpose is what binds the sealed bytes to their run and agent. Ids hold no /.
func purpose(run, agent string) ([]byte, error) {
	for _, id := range []string{run, agent} {
		if err := message.CheckID(id); err != nil {
			return nil, err
		}
	}
	return []byte("inferometer fleet secrets 1/" + run + "/" + agent), nil
}
