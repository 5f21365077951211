package as

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/cluster/store"
)

const (
	keysKey    = kindKeys + ".signing"
	keysReload = time.Minute // how long the keys are used before the store is asked again
	keysRecent = time.Second // the same for a key that is not among them
	maxKeyLead = time.Hour   // how long a key is published before it signs
	keySlack   = 10 * time.Minute
)

// A signingKey is a key that signs access tokens.
type signingKey struct {
	id      string
	created time.Time
	private *ecdsa.PrivateKey
	signer  jose.Signer
}

// storedKey is a key as the store keeps it.
type storedKey struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	Sealed  []byte    `json:"sealed"` // the private key, encrypted
}

// A keyring holds the keys of a server. A new key is published before it signs, and an old one as long as there are
// tokens that it signed.
type keyring struct {
	store    store.Store
	sealer   *sealer
	lifetime time.Duration // of a key that signs
	keep     time.Duration // how long a key stays published after it has stopped signing

	mu     sync.Mutex
	keys   []*signingKey // oldest first
	loaded time.Time
}

// lead is how long a key is published before it signs.
func (k *keyring) lead() time.Duration { return min(maxKeyLead, k.lifetime/4) }

// current returns the key that signs.
func (k *keyring) current(ctx context.Context) (*signingKey, error) {
	all, err := k.all(ctx)
	if err != nil {
		return nil, err
	}
	return all[k.signs(all, time.Now())], nil
}

// signs returns the index of the key that signs: the newest that has been published long enough.
func (k *keyring) signs(keys []*signingKey, now time.Time) int {
	for i := len(keys) - 1; i > 0; i-- {
		if now.Sub(keys[i].created) >= k.lead() {
			return i
		}
	}
	return 0
}

// public returns the keys that verify tokens.
func (k *keyring) public(ctx context.Context) (*jose.JSONWebKeySet, error) {
	all, err := k.all(ctx)
	if err != nil {
		return nil, err
	}
	set := &jose.JSONWebKeySet{}
	for _, key := range all {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: &key.private.PublicKey, KeyID: key.id, Algorithm: string(jose.ES256), Use: "sig"})
	}
	return set, nil
}

// byID returns the public key of an id, nil if there is none. It may look into the store, since another server may
// just have made the key.
func (k *keyring) byID(ctx context.Context, id string) (*ecdsa.PublicKey, error) {
	for _, reload := range []time.Duration{keysReload, keysRecent} {
		all, err := k.loadedFor(ctx, reload)
		if err != nil {
			return nil, err
		}
		for _, key := range all {
			if key.id == id {
				return &key.private.PublicKey, nil
			}
		}
	}
	return nil, nil
}

// all returns the current keys, of which there is at least one.
func (k *keyring) all(ctx context.Context) ([]*signingKey, error) {
	return k.loadedFor(ctx, keysReload)
}

// loadedFor is all for keys that may have been loaded up to the given time ago.
func (k *keyring) loadedFor(ctx context.Context, reload time.Duration) ([]*signingKey, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if now.Sub(k.loaded) < min(reload, k.lead()) && len(k.keys) > 0 {
		return k.keys, nil
	}
	return k.update(ctx, func(keys []*signingKey) ([]*signingKey, error) { return k.plan(keys, now) })
}

// replace replaces all keys with a new one. Tokens that they signed are no longer valid.
func (k *keyring) replace(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, err := k.update(ctx, func([]*signingKey) ([]*signingKey, error) {
		key, err := newKey(time.Now())
		return []*signingKey{key}, err
	})
	return err
}

// plan adds a key if one is due, and removes the keys that no valid token needs.
func (k *keyring) plan(keys []*signingKey, now time.Time) ([]*signingKey, error) {
	if n := len(keys); n == 0 || now.Sub(keys[n-1].created) >= k.lifetime {
		key, err := newKey(now)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	for len(keys) > 1 && now.Sub(keys[1].created) > k.lead()+k.keep {
		keys = keys[1:]
	}
	return keys, nil
}

// maxAttempts is how often a change is tried if other servers change the same record.
const maxAttempts = 10

// update changes the stored keys, and loads them. The caller holds the mutex.
func (k *keyring) update(ctx context.Context, change func([]*signingKey) ([]*signingKey, error)) ([]*signingKey, error) {
	for range maxAttempts {
		old, err := k.store.Get(ctx, keysKey)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		have, err := k.decode(old.Value)
		if err != nil {
			return nil, err
		}
		want, err := change(slices.Clone(have))
		if err != nil {
			return nil, err
		}
		if old.Revision == 0 || !slices.Equal(have, want) {
			if err = k.save(ctx, old.Revision, want); errors.Is(err, store.ErrConflict) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		k.keys, k.loaded = want, time.Now()
		return want, nil
	}
	return nil, fmt.Errorf("as: the signing keys: %w", store.ErrConflict)
}

// save replaces the record of the keys at a revision number, 0 if there is no record yet. Private keys are sealed in it.
func (k *keyring) save(ctx context.Context, revision uint64, keys []*signingKey) error {
	stored := make([]storedKey, len(keys))
	for i, key := range keys {
		private, err := x509.MarshalPKCS8PrivateKey(key.private)
		if err != nil {
			return err
		}
		stored[i] = storedKey{key.id, key.created, k.sealer.seal("key "+key.id, private)}
	}
	value, err := json.Marshal(stored)
	if err != nil {
		return err
	}
	_, err = k.store.Put(ctx, keysKey, value, revision, 0)
	return err
}

// decode returns the keys of a record. Keys that are loaded already stay the same objects.
func (k *keyring) decode(value []byte) ([]*signingKey, error) {
	if value == nil {
		return nil, nil
	}
	var stored []storedKey
	if err := json.Unmarshal(value, &stored); err != nil {
		return nil, fmt.Errorf("as: the signing keys: %w", err)
	}
	var keys []*signingKey
	for _, s := range stored {
		if i := slices.IndexFunc(k.keys, func(have *signingKey) bool { return have.id == s.ID }); i >= 0 {
			keys = append(keys, k.keys[i])
			continue
		}
		text, err := k.sealer.open("key "+s.ID, s.Sealed)
		if errors.Is(err, errSealed) {
			continue // Options.Secret has changed: the key is lost
		}
		private, err := x509.ParsePKCS8PrivateKey(text)
		if err != nil {
			return nil, fmt.Errorf("as: the signing key %s: %w", s.ID, err)
		}
		ec, ok := private.(*ecdsa.PrivateKey)
		if !ok {
			return nil, fmt.Errorf("as: the signing key %s: want an ECDSA key, got a %T", s.ID, private)
		}
		key, err := withSigner(&signingKey{id: s.ID, created: s.Created, private: ec})
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func newKey(now time.Time) (*signingKey, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return withSigner(&signingKey{id: newID(), created: now, private: private})
}

func withSigner(key *signingKey) (_ *signingKey, err error) {
	key.signer, err = jose.NewSigner(
		jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: key.private, KeyID: key.id}},
		(&jose.SignerOptions{}).WithType(accessTokenType))
	return key, err
}
