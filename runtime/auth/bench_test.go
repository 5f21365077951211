package auth

import (
	"testing"
)

// BenchmarkKnownToken is what a request costs whose token was verified before.
func BenchmarkKnownToken(b *testing.B) {
	rs, k := newSecured(b, requires("read"))
	r := post("Bearer " + k.sign(b))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rs.Authorize(r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNewToken is what a request costs whose token was not seen before: it is signed by ES256.
func BenchmarkNewToken(b *testing.B) {
	rs, k := newSecured(b, requires("read"))
	r := post("Bearer " + k.sign(b))
	v := rs.opts.Verifier.(*JWTVerifier)
	b.ReportAllocs()
	for b.Loop() {
		v.verified = newCache[verifiedJWT](10_000)
		if _, err := rs.Authorize(r); err != nil {
			b.Fatal(err)
		}
	}
}
