package annotated

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/server"
)

// A Report is the weather to come.
type Report struct {
	City string `json:"city"`
	Unit Unit   `json:"unit"`
	Days []Day  `json:"days"`
}

// A Day is the weather of one day.
type Day struct {
	High float64 `json:"high"`
	Rain float64 `json:"rain"` // the chance of it, from 0 to 1
}

// Weather knows the future.
type Weather struct {
	Cities map[string][]Day
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
	known, ok := w.Cities[city]
	if !ok {
		return nil, fmt.Errorf("no weather is known of %s", city)
	}
	p.Report(float64(days), float64(days), "")
	return &Report{City: city, Unit: unit, Days: known[:min(days, len(known))]}, nil
}

//mcp:tool
func Add(a, b int) (sum int) { return a + b }
