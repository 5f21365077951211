package wire_test

import (
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

const r1, r2, r3 = wire.Revision(20241105), wire.Revision(20250618), wire.Revision(20260728)

func TestMethod(t *testing.T) {
	m := &wire.Method{
		Name:     "ask",
		ToServer: []wire.Span{{From: r2}},
		ToClient: []wire.Span{{Until: r2}},
		AsInput:  []wire.Span{{From: r3}},
	}
	for _, tt := range []struct {
		side wire.Side
		has  [4]bool // Any, r1, r2, r3
	}{
		{wire.Server, [4]bool{true, false, true, true}},
		{wire.Client, [4]bool{true, true, false, true}},
	} {
		for i, rev := range []wire.Revision{wire.Any, r1, r2, r3} {
			check(t, rev.String(), m.Reaches(tt.side, rev), nil, tt.has[i], "")
		}
	}
	for _, tt := range []struct {
		name     string
		rev      wire.Revision
		params   string
		optional bool
		into     wire.Decodable
		want     string
	}{
		{"read", r2, `{"text":"a","type":"text"}`, false, new(textContent), ""},
		{"bad", r2, `{"text":"a"}`, false, new(textContent), "TextContent: missing required member: type"},
		{"missing", r2, ``, false, new(textContent), "wire: ask requires params, got none"},
		{"absent", r2, ``, true, new(textContent), ""},
		{"none", r2, `{}`, false, nil, ""},
		{"unknown", r1, `{}`, false, nil, "wire: unknown method"},
	} {
		for _, alias := range []bool{false, true} {
			m.Optional = tt.optional
			err := m.DecodeParams(wire.Server, tt.rev, wire.Raw(tt.params), alias, tt.into)
			check(t, tt.name, "", err, "", tt.want)
			if tt.want == "wire: unknown method" && !errors.Is(err, wire.ErrUnknownMethod) {
				t.Errorf("%v is not ErrUnknownMethod", err)
			}
		}
	}
	err := &wire.UnexpectedResultError{Method: "ask", Want: "Answer"}
	check(t, "unexpected", err.Error(), nil, "ask: want Answer, got another type of result", "")
}

func TestBox(t *testing.T) {
	box := wire.Box[contentBlock]{From: func(d *wire.Decoder) (v contentBlock) { decodeContentBlock(&v, d); return v }}
	_, err := wire.Append(nil, wire.Any, &box)
	check(t, "empty", "", err, "", "wire: nothing to encode: the value is nil")
	err = wire.Decode([]byte(`{"type":"text","text":"a"}`), &box)
	check(t, "decode", box.Value.(*textContent).Text, err, "a", "")
	out, err := wire.Append(nil, wire.Any, &box)
	check(t, "encode", string(out), err, `{"type":"text","text":"a"}`, "")
}

// What a revision has, Any has, too; what one needs, Any does not.
func TestEncoderRevision(t *testing.T) {
	for _, tt := range []struct {
		rev                            wire.Revision
		since, before, within, needs   bool
		needsBefore, needsFrom, needs0 bool
	}{
		{wire.Any, true, true, true, false, false, false, false},
		{r1, false, true, false, false, true, false, true},
		{r2, true, true, true, true, true, true, true},
		{r3, true, false, false, false, false, true, true},
	} {
		_, err := wire.Append(nil, tt.rev, encodes(func(e *wire.Encoder) {
			check(t, "revision", e.Revision(), nil, tt.rev, "")
			check(t, "since", e.Since(r2), nil, tt.since, "")
			check(t, "before", e.Before(r3), nil, tt.before, "")
			check(t, "within", e.Within(r2, r3), nil, tt.within, "")
			check(t, "needs", e.Needs(r2, r3), nil, tt.needs, "")
			check(t, "needs before", e.Needs(0, r3), nil, tt.needsBefore, "")
			check(t, "needs from", e.Needs(r2, 0), nil, tt.needsFrom, "")
			check(t, "needs always", e.Needs(0, 0), nil, tt.needs0, "")
			e.Null()
		}))
		check(t, tt.rev.String(), "", err, "", "")
	}
}
