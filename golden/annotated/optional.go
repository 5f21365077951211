package annotated

import (
	"encoding/json"
	"math/big"
	"net/url"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Optional values may all be left out.
type Optional struct {
	Bool   *bool          `json:"bool"`
	Int    *int           `json:"int"`
	Uint   *uint64        `json:"uint"`
	Float  *float32       `json:"float"`
	String *string        `json:"string"`
	Time   *time.Time     `json:"time"`
	Length *time.Duration `json:"length"`
	URL    *url.URL       `json:"url"`
	Big    *big.Int       `json:"big"`
	Unit   *Unit          `json:"unit"`
	Point  *Point         `json:"point"`
	List   *[]int         `json:"list"`
	Empty  string         `json:"empty,omitempty"`
	Zero   time.Time      `json:"zero,omitzero"`
	Tags   []string       `json:"tags,omitempty"`
	//mcp:param optional
	Count int `json:"count"`
}

// EchoOptional gives back what is there.
//
//mcp:tool strict
func EchoOptional(o Optional) Optional { return o }

// EchoPointers takes plain parameters that are optional.
//
//mcp:tool strict
//mcp:param e optional
func EchoPointers(a *int8, b *string, c *Point, d *[]string, e float64, rest ...bool) (aa *int8, bb *string, cc *Point, dd *[]string, ee float64, more []bool) {
	return a, b, c, d, e, rest
}

// A Free value may be anything, of which null is one.
type Free struct {
	Raw   json.RawMessage `json:"raw,omitempty"`
	Any   any             `json:"any,omitempty"`
	Where *any            `json:"where"`
	Own   *Anything       `json:"own"`
	Count *int            `json:"count"`
}

// Anything is read by its own method.
//
//mcp:schema {}
type Anything struct{ text string }

// MarshalJSON implements [json.Marshaler].
func (a Anything) MarshalJSON() ([]byte, error) { return []byte(a.text), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Anything) UnmarshalJSON(text []byte) error {
	a.text = string(text)
	return nil
}

// Freely has free values, if any came.
type Freely struct{ *Free }

// CameFreely tells what came.
//
//mcp:tool
func CameFreely(f Freely) string {
	if f.Free == nil {
		return "nothing"
	}
	text := "raw " + string(f.Raw)
	if f.Where != nil {
		text += ", where"
	}
	if f.Own != nil {
		text += ", own " + f.Own.text
	}
	if f.Count != nil {
		text += ", count"
	}
	return text
}

// A Relabelling says what becomes of the members of a label: those that are absent stay as they are, and null removes
// them.
type Relabelling struct {
	//mcp:param minlen=1
	Name wire.Option[string] `json:"name,omitzero"`
	//mcp:param maxlen=3
	//mcp:param items.pattern=^[a-z]+$
	Tags  wire.Option[[]string]          `json:"tags,omitzero"`
	Unit  wire.Option[Unit]              `json:"unit,omitzero"`
	Point wire.Option[Point]             `json:"point,omitzero"`
	Lives wire.Option[map[string]Season] `json:"lives,omitzero"`
	Since wire.Option[time.Time]         `json:"since,omitzero"`
}

// Relabel tells what is absent from null and from a value.
//
//mcp:tool strict
//mcp:param color required
func Relabel(label Relabelling, color wire.Option[string]) (relabelling Relabelling, painted wire.Option[string]) {
	return label, color
}
