package console

import (
	"encoding/json"
	"testing"
)

func TestLimits(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string","minLength":1,"maxLength":80}`: "at least 1 character, at most 80 characters",
		`{"type":"array","minItems":1,"maxItems":1}`:     "at least 1 item, at most 1 item",
		`{"type":"array","maxItems":2}`:                  "at most 2 items",
		`{"type":"string","pattern":"^items$"}`:          "matches ^items$",
		`{"type":"integer","minimum":1,"default":3}`:     "at least 1, default 3",
		`{"type":"integer"}`:                             "",
	} {
		var s any
		if err := json.Unmarshal([]byte(schema), &s); err != nil {
			t.Fatal(err)
		}
		if got := (schemaOf{}).limits(s); got != want {
			t.Errorf("%s: got %q, want %q", schema, got, want)
		}
	}
}
