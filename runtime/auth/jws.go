package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	_ "crypto/sha256" // of the algorithms …256
	_ "crypto/sha512" // of the algorithms …384 and …512
	"encoding/base64"
	"errors"
	"math/big"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A jws is a JWS in the compact serialization: RFC 7515 section 7.1. It is parsed and verified here, in a third of
// the time that package jose takes, since every new token waits for it.
type jws struct {
	algorithm, keyID string
	typ              string // empty if there is none
	payload          []byte
	signed           string // what is signed
	signature        []byte
}

var errJWS = errors.New("want three parts in base64url")

// parseJWS parses a JWS. It verifies nothing.
func parseJWS(text string) (*jws, error) {
	last := strings.LastIndexByte(text, '.')
	if last < 0 || strings.ContainsAny(text, "\r\n") { // the decoder would ignore line breaks
		return nil, errJWS
	}
	header, payload, ok := strings.Cut(text[:last], ".")
	if !ok || strings.Contains(payload, ".") {
		return nil, errJWS
	}
	j := &jws{signed: text[:last]}
	encoding := base64.RawURLEncoding.Strict()
	head, err := encoding.DecodeString(header)
	if err != nil {
		return nil, errJWS
	}
	if j.payload, err = encoding.DecodeString(payload); err != nil {
		return nil, errJWS
	}
	if j.signature, err = encoding.DecodeString(text[last+1:]); err != nil {
		return nil, errJWS
	}
	return j, j.parseHeader(head)
}

var headerType = wire.Type{Name: "header", Members: []string{"alg", "kid", "typ"}, Required: 1}

// parseHeader parses the header. It ignores keys in the header: only those of the issuer count. An extension that
// must be understood (RFC 7515 section 4.1.11) is refused, and so is that of RFC 7797, which changes what is signed.
func (j *jws) parseHeader(head []byte) error {
	d := wire.NewDecoder(head)
	var others wire.Extra
	for o := d.Object(&headerType); o.Next(); {
		switch o.Name {
		case "alg":
			o.Once(0)
			j.algorithm = d.String()
		case "kid":
			o.Once(1)
			j.keyID = d.String()
		case "typ":
			o.Once(2)
			j.typ = d.String()
		case "crit", "b64":
			d.Fail("extensions of the header are not supported")
		default:
			o.Extra(&others)
		}
	}
	return d.Finish()
}

// hashes has the hash of each supported algorithm. None is symmetric: anyone who can verify with a symmetric one
// can also sign.
var hashes = map[string]crypto.Hash{
	"ES256": crypto.SHA256, "ES384": crypto.SHA384, "ES512": crypto.SHA512, "EdDSA": 0,
	"PS256": crypto.SHA256, "PS384": crypto.SHA384, "PS512": crypto.SHA512,
	"RS256": crypto.SHA256, "RS384": crypto.SHA384, "RS512": crypto.SHA512,
}

// signedBy reports whether the signature was made with a key: RFC 7518 section 3, RFC 8037 section 3.1.
func (j *jws) signedBy(k *publicKey) bool {
	if !k.suits(j.algorithm) {
		return false
	}
	text := []byte(j.signed)
	if key, ok := k.key.(ed25519.PublicKey); ok {
		return ed25519.Verify(key, text, j.signature)
	}
	hash := hashes[j.algorithm]
	h := hash.New()
	h.Write(text)
	sum := h.Sum(nil)
	switch key := k.key.(type) {
	case *ecdsa.PublicKey:
		size := (key.Curve.Params().BitSize + 7) / 8
		if len(j.signature) != 2*size {
			return false
		}
		r, s := new(big.Int).SetBytes(j.signature[:size]), new(big.Int).SetBytes(j.signature[size:])
		return ecdsa.Verify(key, sum, r, s)
	case *rsa.PublicKey:
		if strings.HasPrefix(j.algorithm, "PS") {
			return rsa.VerifyPSS(key, hash, sum, j.signature, &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}) == nil
		}
		return rsa.VerifyPKCS1v15(key, hash, sum, j.signature) == nil
	}
	return false
}

// suits reports whether the key may be used with an algorithm, so that no key is taken for one of another type.
func (k *publicKey) suits(algorithm string) bool {
	if k.algorithm != "" && k.algorithm != algorithm {
		return false
	}
	switch key := k.key.(type) {
	case *rsa.PublicKey:
		_, known := hashes[algorithm]
		return known && (strings.HasPrefix(algorithm, "RS") || strings.HasPrefix(algorithm, "PS"))
	case ed25519.PublicKey:
		return algorithm == "EdDSA"
	case *ecdsa.PublicKey:
		bits := key.Curve.Params().BitSize
		return algorithm == "ES256" && bits == 256 || algorithm == "ES384" && bits == 384 || algorithm == "ES512" && bits == 521
	}
	return false
}
