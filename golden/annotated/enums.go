package annotated

// A Unit is a temperature unit.
type Unit string

const (
	InCelsius    Unit = "celsius"    // degrees Celsius
	InFahrenheit Unit = "fahrenheit" // degrees Fahrenheit
	InKelvin     Unit = "kelvin"
)

// A Level says how much is logged.
type Level int8

const (
	Quiet Level = -1 // nothing
	Usual Level = 0
	Loud  Level = 10 // everything
)

// A Mode may also be one that is not known yet.
//
//mcp:schema open
type Mode string

const (
	Fast Mode = "fast"
	Slow Mode = "slow"
)

// Enums are one of some values.
type Enums struct {
	Unit  Unit  `json:"unit"`
	Level Level `json:"level"`
	Mode  Mode  `json:"mode"`
	//mcp:param enum=celsius,kelvin
	Some Unit `json:"some"`
	//mcp:param enum=1,2,4,8
	Power int `json:"power"`
	//mcp:param enum=a,b\,c,ü
	Letter string `json:"letter"`
}

// EchoEnums gives back enumerations.
//
//mcp:tool strict
func EchoEnums(e Enums) Enums { return e }

// A Season is one of these in results, too.
//
//mcp:schema closed
type Season string

const (
	Summer Season = "summer"
	Winter Season = "winter"
)

// Relay passes on what comes from elsewhere: what it knows, and what is new there.
//
//mcp:tool
func Relay(units, seasons []string, level int8) (levels map[Unit]Level, known []Season) {
	levels = make(map[Unit]Level)
	for _, u := range units {
		levels[Unit(u)] = Level(level)
	}
	for _, s := range seasons {
		known = append(known, Season(s))
	}
	return levels, known
}

// A State has a name for each number.
type State uint16

const (
	StateNew    State = iota // not begun
	StateInWork              // begun
	StateDone
)

// States are called by their names.
type States struct {
	Now   State  `json:"now"`
	Until *State `json:"until,omitempty"`
	//mcp:param unique
	Past   []State         `json:"past"`
	Times  map[State]Level `json:"times"`
	Quoted State           `json:"quoted,string"`
	//mcp:param enum=new,done
	Some State `json:"some"`
	//mcp:param items.items.enum=in_work,done
	Ahead [][]State `json:"ahead,omitempty"`
}

// EchoStates gives back states.
//
//mcp:tool strict
//mcp:param last default=in_work
func EchoStates(s States, last State) States {
	if s.Until == nil {
		s.Until = &last
	}
	return s
}
