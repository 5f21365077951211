package main

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/runtime/server"
)

// A Unit is a temperature unit.
type Unit string

const (
	Celsius    Unit = "celsius"    // degrees Celsius
	Fahrenheit Unit = "fahrenheit" // degrees Fahrenheit
)

// A Report is the weather to come in a city.
type Report struct {
	City string `json:"city"`
	Unit Unit   `json:"unit"`
	Days []Day  `json:"days"`
}

// A Day is the weather of one day.
type Day struct {
	Date time.Time `json:"date"` // midnight, UTC
	Low  float64   `json:"low"`
	High float64   `json:"high"`
	Rain float64   `json:"rain"` // the chance of it, from 0 to 1
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
	c, err := w.city(city)
	if err != nil {
		return nil, err
	}
	report := &Report{City: c.name, Unit: unit}
	today := w.Now().UTC().Truncate(24 * time.Hour)
	for i := range days {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		report.Days = append(report.Days, c.weather(today.AddDate(0, 0, i), unit))
		p.Report(float64(i+1), float64(days), "")
	}
	return report, nil
}
