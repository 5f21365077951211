package annotated

import "time"

// A Moment has the JSON of the time that it embeds.
type Moment struct{ time.Time }

// Dates are days, and moments.
type Dates struct {
	//mcp:param format=date
	From time.Time `json:"from"`
	//mcp:param format=date
	To *time.Time `json:"to,omitempty"`
	//mcp:param items.format=date maxlen=4
	Rests []time.Time `json:"rests"`
	//mcp:param values.format=date keys.format=date
	Moved map[string]*time.Time `json:"moved"`
	//mcp:param format=date
	Begun Moment  `json:"begun"`
	Seen  Moment  `json:"seen"`
	Left  *Moment `json:"left,omitempty"`
}

// EchoDates gives back days and moments.
//
//mcp:tool strict
//mcp:param last format=date default=2024-02-29
//mcp:param dates.Seen optional
func EchoDates(dates Dates, last time.Time) Dates {
	if dates.To == nil {
		dates.To = &last
	}
	return dates
}
