package annotated

// Celsius is a temperature.
type Celsius float64

// A Port is a port number.
type Port uint16

// Scalars are numbers, booleans and strings.
type Scalars struct {
	Bool    bool    `json:"bool"`
	Int     int     `json:"int"`
	Int8    int8    `json:"int8"`
	Int16   int16   `json:"int16"`
	Int32   rune    `json:"int32"`
	Int64   int64   `json:"int64"`
	Uint    uint    `json:"uint"`
	Uint8   byte    `json:"uint8"`
	Uint16  uint16  `json:"uint16"`
	Uint32  uint32  `json:"uint32"`
	Uint64  uint64  `json:"uint64"`
	Float32 float32 `json:"float32"`
	Float64 float64 `json:"float64"`
	String  string  `json:"string"`
	Celsius Celsius `json:"celsius"`
	Port    Port    `json:"port"`
}

// EchoScalars takes a struct as its arguments, and returns one.
//
//mcp:tool strict
func EchoScalars(s Scalars) Scalars { return s }

// Quoted are numbers and booleans that are written as strings.
type Quoted struct {
	Bool   bool    `json:"bool,string"`
	Int    int64   `json:"int,string"`
	Uint   uint8   `json:"uint,string"`
	Float  float64 `json:"float,string"`
	Single float32 `json:"single,string,omitempty"`
}

// EchoQuoted takes a pointer to its arguments.
//
//mcp:tool strict
func EchoQuoted(q *Quoted) *Quoted { return q }

// EchoPlain takes plain parameters, and names its results.
//
//mcp:tool strict
func EchoPlain(b bool, i int, u uint32, f float64, s string) (bb bool, ii int, uu uint32, ff float64, ss string) {
	return b, i, u, f, s
}
