package randtypes

// sharedSource is what the types of a package may use: types with constants and with methods, and
// generic ones. A line that begins with func F or func init is not in the twin.
const sharedSource = `
// A Color has a name.
type Color string

const (
	Red   Color = "red"
	Green Color = "gr<een>"
)

// A Level is a number.
type Level int8

const (
	Low  Level = -1
	High Level = 100
)

type Code uint16

const Only Code = 300

// A Bit may be combined.
type Bit uint

const (
	BitA Bit = 1 << iota
	BitB
	BitC
)

func init() {«check».OneOf(Red, Green); «check».OneOf(Low, High); «check».OneOf(Only) }

// A Phase counts from 0.
type Phase int

const (
	PhaseIdle Phase = iota
	PhaseBusy
	PhaseDone
)

func init() { «check».OneOf(PhaseIdle, PhaseBusy, PhaseDone) }

// A Trip has days. A day is a time whose twin is a date.
type Trip struct {
	//mcp:param format=date
	Day «day».Time ` + "`json:\"day\"`" + `
	//mcp:param format=date
	Back *«day».Time ` + "`json:\"back,omitempty\"`" + `
	//mcp:param items.format=date
	Rests []«day».Time
	//mcp:param values.format=date
	Moved map[string]*«day».Time
}

type Octet byte

type Small byte

const SmallOne, SmallTwo Small = 1, 2

func init() { «check».OneOf(SmallOne, SmallTwo) }

// A Text spells t and a letter.
type Text struct{ letter byte }

func (t Text) MarshalText() ([]byte, error) { return []byte{'t', t.letter + 'a'}, nil }

func (t *Text) UnmarshalText(b []byte) error {
	if len(b) != 2 || b[0] != 't' || b[1] < 'a' || b[1] > 'z' {
		return «errors».New("text: no such letter")
	}
	t.letter = b[1] - 'a'
	return nil
}

func init() { «check».Fill(func(r *«rand».Rand) Text { return Text{byte(r.IntN(26))} }) }

// A Word is a string with methods.
type Word string

func (w Word) MarshalText() ([]byte, error) { return []byte("w" + w), nil }

func (w *Word) UnmarshalText(b []byte) error {
	if len(b) == 0 || b[0] != 'w' {
		return «errors».New("text: no such word")
	}
	*w = Word(b[1:])
	return nil
}

// A Number is an integer with methods.
type Number int

func (n *Number) MarshalText() ([]byte, error) { return []byte(«fmt».Sprintf("n%d", *n)), nil }

func (n *Number) UnmarshalText(b []byte) error {
	_, err := «fmt».Sscanf(string(b), "n%d", (*int)(n))
	if err != nil || «fmt».Sprintf("n%d", *n) != string(b) {
		return «errors».New("text: no such number")
	}
	return nil
}

// A Point is an array.
//
//mcp:schema {"type":"array","items":{"type":"integer","minimum":0,"maximum":9},"minItems":2,"maxItems":2}
type Point struct{ x, y int }

func (p Point) MarshalJSON() ([]byte, error) { return []byte(«fmt».Sprintf("[%d,%d]", p.x, p.y)), nil }

func (p *Point) UnmarshalJSON(b []byte) error {
	var list []«json».RawMessage
	if err := «json».Unmarshal(b, &list); err != nil {
		return err
	}
	if len(list) != 2 {
		return «errors».New("json: want two")
	}
	for i, to := range []*int{&p.x, &p.y} {
		var f float64
		err := «json».Unmarshal(list[i], &f)
		if *to = int(f); err != nil || len(list[i]) > 3 || f != float64(*to) || f < 0 || f > 9 {
			return «errors».New("json: want a digit")
		}
	}
	return nil
}

func init() { «check».Fill(func(r *«rand».Rand) Point { return Point{r.IntN(10), r.IntN(10)} }) }

// A Zero says itself what zero is.
type Zero int

func (z Zero) IsZero() bool { return z == 42 }

// A Span says so by a pointer.
type Span struct{ From, To int }

func (s *Span) IsZero() bool { return s.From == s.To }

type Box[T any] struct {
	Item T            ` + "`json:\"item\"`" + `
	More []T          ` + "`json:\"more,omitempty\"`" + `
	By   map[string]T
}

type Pair[K comparable, V any] struct {
	Key   K
	Value *V ` + "`json:\",omitzero\"`" + `
}

type List[T any] []T

type Dict[V any] map[string]V

type Three[T any] [3]T

type Tree[T any] struct {
	Value T
	Kids  []Tree[T] ` + "`json:\"kids\"`" + `
	Left  *Tree[T]
}

type hidden struct {
	Inner string
	N     int ` + "`json:\"n,omitempty\"`" + `
}

type Base struct {
	ID int ` + "`json:\"id\"`" + `
	*Deep
}

type Deep struct {
	X int
	hidden
}

type (
	Alias   = []Base
	Blob    []byte
	Octets  []Octet
	Smalls  []Small
	Raw     «json».RawMessage
	Free    any
	Strings []string
	Counts  map[string]int
	Nested  [2][]Nested
	Forest  map[string]Forest
	Leaves  []Leaves
	Moment  = «time».Time
)

// An Instant is a time, and so is a Later.
type (
	Instant struct{ «time».Time }
	Later   struct{ Instant }
)
`

// otherSource is a package that others import, with parts that they cannot name.
const otherSource = `
type base struct {
	BaseName string ` + "`json:\"base_name\"`" + `
	Note     *string
}

type Open struct {
	base
	X      int
	hidden int
}

type Deeper struct {
	*Open ` + "`json:\",omitempty\"`" + `
	Extra bool
}

type Mode string

const (
	On  Mode = "on"
	Off Mode = "off"
)

func init() {«check».OneOf(On, Off) }

type Wrap[T any] struct {
	base
	Value T ` + "`json:\"value\"`" + `
}

type List []Open

type Stamp struct{ «time».Time }

type Since struct {
	At  «time».Time
	For «time».Duration ` + "`json:\"for,omitempty\"`" + `
}
`
