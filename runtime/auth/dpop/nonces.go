package dpop

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// nonceTime is how long a nonce is the current one. It is accepted for as long again.
const nonceTime = 5 * time.Minute

// nonceKeySize is the length of VerifierOptions.NonceKey.
const nonceKeySize = sha256.Size

// nonces makes the nonces of a server and recognizes them: RFC 9449 sections 8 and 9. It keeps nothing but a key.
type nonces struct{ key []byte }

// newNonces returns nonces that only holders of the key can make. Servers that share a key accept each other's
// nonces. If key is nil, a random one is used.
func newNonces(key []byte) *nonces {
	if key == nil {
		key = make([]byte, nonceKeySize)
		rand.Read(key) // never fails
	}
	return &nonces{key}
}

// current returns the nonce for a time.
func (n *nonces) current(now time.Time) string { return n.of(now.UnixNano() / int64(nonceTime)) }

// valid reports whether a nonce is the current one or the one before.
func (n *nonces) valid(nonce string, now time.Time) bool {
	period := now.UnixNano() / int64(nonceTime)
	current, last := equal(nonce, n.of(period)), equal(nonce, n.of(period-1))
	return current || last
}

// of returns the nonce of a period.
func (n *nonces) of(period int64) string {
	mac := hmac.New(sha256.New, n.key)
	mac.Write(binary.BigEndian.AppendUint64([]byte("dpop nonce "), uint64(period)))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
