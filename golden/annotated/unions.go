package annotated

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
