package annotated

import "github.com/mcpgen/mcpgen/runtime/wire"

// A Shape is something to draw.
type Shape interface{ shape() }

// A Circle is round.
type Circle struct {
	Radius float64 `json:"radius"`
}

// A Polygon has corners, and perhaps something inside.
type Polygon struct {
	Corners []Point `json:"corners"`
	Inside  []Shape `json:"inside,omitempty"`
}

// Nothing is drawn.
type Nothing struct{}

func (Circle) shape()   {}
func (*Polygon) shape() {}
func (Nothing) shape()  {}

// An Event is told apart by another member.
//
//mcp:schema discriminator=kind
type Event interface{ event() }

// A Click is an event.
//
//mcp:schema value=click!
type Click struct {
	At Point `json:"at"`
}

// A Key is an event.
type Key struct {
	Code int `json:"code"`
}

func (Click) event() {}
func (*Key) event()  {}

// EchoUnions gives back values of one of several types.
//
//mcp:tool strict
func EchoUnions(shape Shape, more []Shape, events map[string]Event) (s Shape, m []Shape, e map[string]Event) {
	return shape, more, events
}

// A Setting is a text, a number or a boolean.
type Setting interface{ setting() }

// A Preset is a setting that is known by a name.
type Preset string

// Presets.
const (
	Soft   Preset = "soft"
	Shrill Preset = "shrill"
)

// A Volume is a setting from 0 to 255.
type Volume uint8

// On is a setting that is on or off.
type On bool

func (Preset) setting() {}
func (Volume) setting() {}
func (On) setting()     {}

// EchoSettings gives back scalars of several types.
//
//mcp:tool strict
//mcp:param other default=7
func EchoSettings(setting Setting, all map[string]Setting, list []Setting, other Setting, more wire.Option[Setting]) (s Setting, a map[string]Setting, l []Setting, o Setting, m wire.Option[Setting]) {
	return setting, all, list, other, more
}
