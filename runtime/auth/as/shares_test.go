package as

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/store"
)

// TestMarksAreShared remembers what must not be used any more. It gives way to nothing, so each sender has a part.
func TestMarksAreShared(t *testing.T) {
	s := &Server{store: &store.Memory{}, used: share.NewSeen(8), revoked: share.NewSeen(8)}
	for what, use := range map[string]func(who, id string) error{
		"an assertion": func(who, id string) error {
			a := &assertion{claims: assertionClaims{ID: id, Expiry: jwt.NewNumericDate(time.Now().Add(time.Minute))}}
			return s.use(share.With(t.Context(), share.Of("", who, nil)), a, func(err error) error { return err })
		},
		"an access token": func(who, id string) error {
			return s.revokeAccess(t.Context(), &accessClaims{ID: id, Subject: who, Expiry: time.Now().Add(time.Minute).Unix()})
		},
	} {
		for i := range 4 {
			if err := use("192.0.2.1", fmt.Sprint("m", i)); (err == nil) != (i < 2) || err != nil && !errors.Is(err, store.ErrFull) {
				t.Errorf("%s, %d: %v", what, i, err)
			}
		}
		if err := use("192.0.2.2", "a"); err != nil {
			t.Errorf("%s of another one: %v", what, err)
		}
	}
}
