// Package forms asks for values of many types, whose forms are generated.
package forms

//go:generate go tool mcpgen tools

import (
	"context"
	"net/netip"
	"time"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
)

// Numbers has all kinds of numbers.
type Numbers struct {
	Int    int      `json:"int"`
	Int8   int8     `json:"int8"`
	Int16  int16    `form:"min=-3"`
	Int32  int32    `form:"max=3"`
	Int64  *int64   `json:"int64"`
	Uint   uint     `json:"uint,omitempty"`
	Uint8  uint8    `form:"default=7"`
	Uint16 uint16   `form:"min=1 max=2"`
	Uint32 *uint32  `form:"default=9"`
	Uint64 uint64   `json:",omitzero"`
	F32    float32  `form:"min=0.5"`
	F64    *float64 `form:"max=1e9 default=-1.5"`
	Own    count    `json:"own"`
}

type count int

// Texts has all kinds of texts.
type Texts struct {
	Plain   string            `json:"plain"`
	Long    string            `form:"minlen=2 maxlen=5" jsonschema:"two to five letters"`
	Mail    *string           `form:"format=email title='Your mail, please'"`
	Link    string            `form:"format=uri optional"`
	Day     string            `form:"format=date default=2026-02-28"`
	Moment  string            `form:"format=date-time optional"`
	Color   string            `form:"enum=red,'dark green','a,b' default='dark green'"`
	Address netip.Addr        `json:"address"`
	Nearest *netip.AddrPort   `form:"enum=127.0.0.1:1,127.0.0.1:2"`
	Several []string          `form:"enum=a,b,c minlen=1 maxlen=2 default=a,b"`
	Named   []label           `json:"named,omitempty" form:"enum=x,'y z'"`
	Skipped map[string]string `json:"-"`
}

type label string

// Others has what else there is.
type Others struct {
	embedded
	At    time.Time  `json:"at"`
	Since *time.Time `json:"since"`
	Day   time.Time  `form:"format=date default=2026-01-31"`
	Free  *time.Time `form:"format=date"`
	Yes   bool       `json:"yes"`
	No    *bool      `json:"no" form:"default=false"`
	News  bool       `json:"news,omitempty"`
}

type embedded struct {
	Inner string `json:"inner" form:"maxlen=3"`
}

// Deep is in Stay.
type Deep struct {
	Level int `json:"level" form:"optional"`
}

// Nothing asks for consent.
type Nothing struct{}

// Room is a kind of room.
type Room string

// The rooms.
const (
	// Single is for one.
	Single Room = "single"
	Double Room = "double"
)

// Floor is where a room is.
type Floor int

// The floors.
const (
	Ground Floor = iota + 1
	Upper
)

func (f Floor) String() string {
	if f == Ground {
		return "ground"
	}
	return "upper"
}

// Stay is what only the generator knows all about.
type Stay struct {
	*Deep
	// Name is the guest's name.
	//
	//mcp:param minlen=1
	Name string `json:"name"`
	Room Room   `json:"room" form:"default=single"`
	// Floor is where the guest wants to sleep.
	Floor Floor  `json:"floor"`
	Rooms []Room `json:"rooms,omitempty"`
	//mcp:param items.enum=tea,cake default=["tea"]
	Served []string `json:"served"`
}

// A Booking is what a guest enters.
type Booking struct {
	// Name is the guest's name, as in the passport.
	//
	//mcp:param minlen=1 maxlen=80
	Name string `json:"name"`
	Room Room   `json:"room" form:"title='Kind of room' default=single"`
}

// Ask asks for everything.
//
//mcp:tool
func Ask(ctx context.Context, c *server.Call) error {
	_, err := ask.Form[Numbers](ctx, c, "?")
	if err == nil {
		_, err = ask.Form[Texts](ctx, c, "?")
	}
	if err == nil {
		_, err = ask.Form[Others](ctx, c, "?")
	}
	if err == nil {
		_, err = ask.Form[Nothing](ctx, c, "?")
	}
	if err == nil {
		_, err = ask.Form[Stay](ctx, c, "?")
	}
	if err == nil {
		_, err = ask.Form[Booking](ctx, c, "?")
	}
	return err
}
