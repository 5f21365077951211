package oauth

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

func TestLifetime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`3600`: time.Hour, `"3600"`: time.Hour, `1.5`: 1500 * time.Millisecond, `1e300`: maxLifetime, `9223372036854775807`: maxLifetime,
		``: 0, `null`: 0, `0`: 0, `-1`: 0, `"NaN"`: 0, `""`: 0, `"soon"`: 0, `{}`: 0,
	} {
		if got := (&TokenResponse{ExpiresIn: json.RawMessage(text)}).Lifetime(); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func TestErrorOf(t *testing.T) {
	for body, want := range map[string][2]string{
		`{"error":"invalid_grant","error_description":"expired"}`: {"invalid_grant", "expired"}, `{"error":"invalid_grant"}`: {"invalid_grant"},
		`{"error":"a","error":"b"}`: {}, `{"error":1}`: {}, `{"error":"a","error_description":1}`: {}, `{"ERROR":"a"}`: {}, `<html>`: {}, ``: {},
	} {
		code, description := ErrorOf(&fetch.StatusError{Body: []byte(body)})
		if got := [2]string{code, description}; got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
}
