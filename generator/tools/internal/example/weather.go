// Package example has annotated functions with which generated code is shown, tested and measured.
package example

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/server"
)

//go:generate go run ../../../../cmd/mcpgen tools

// A Unit is a temperature unit.
type Unit string

const (
	Celsius    Unit = "celsius"    // degrees Celsius
	Fahrenheit Unit = "fahrenheit" // degrees Fahrenheit
)

// Weather knows the weather of one city.
type Weather struct {
	City string
	High []float64 // of the next days, in degrees Celsius
}

// A Report is a prediction.
type Report struct {
	City string `json:"city"`
	Unit Unit   `json:"unit"`
	Days []Day  `json:"days"` // the first is tomorrow
}

// A Day is the weather of one day.
type Day struct {
	High float64 `json:"high"`
	Rain bool    `json:"rain,omitempty"` // whether it will rain
}

// Forecast predicts the weather of a city.
//
//   - city: the city's English name
//   - days: how many days ahead
//
//mcp:tool readonly openworld
//mcp:param days default=3 min=1 max=14
//mcp:param unit default=celsius
func (w *Weather) Forecast(ctx context.Context, p *server.Progress, city string, days int, unit Unit) (*Report, error) {
	if city != w.City {
		return nil, errors.New("no weather is known of " + city)
	}
	r := &Report{City: city, Unit: unit, Days: make([]Day, min(days, len(w.High)))}
	for i := range r.Days {
		r.Days[i].High = w.High[i]
		if unit == Fahrenheit {
			r.Days[i].High = w.High[i]*9/5 + 32
		}
	}
	p.Report(1, 1, "done")
	return r, nil
}

// Add adds two numbers.
//
//mcp:tool
func Add(a, b int) (sum int) { return a + b }
