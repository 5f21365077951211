package main

import (
	"fmt"
	"strings"
)

// Packing asks what to pack for a journey.
//
//   - city: where the journey goes
//   - days: how long it takes
//
//mcp:prompt
//mcp:param days default=7 min=1 max=14
func (w *Weather) Packing(city string, days int) (string, error) {
	c, err := w.city(city)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("I travel to %s, %s, for %d days. Look up the forecast, then tell me what to pack.", c.name, c.country, days), nil
}

// CompleteCity completes the name of a city.
//
//mcp:complete Weather.Packing city
//mcp:complete Weather.Climate name
func (w *Weather) CompleteCity(typed string) []string {
	var found []string
	for _, c := range cities() {
		if len(c.name) >= len(typed) && strings.EqualFold(c.name[:len(typed)], typed) {
			found = append(found, c.name)
		}
	}
	return found
}
