package main

import (
	"fmt"
	"strings"
)

// A Climate is the long-time average of a city's weather.
type Climate struct {
	City    string  `json:"city"`
	Country string  `json:"country"`
	January float64 `json:"january"` // degrees Celsius
	July    float64 `json:"july"`    // degrees Celsius
}

// Climate is what forecasts are made of.
//
//mcp:resource climate://cities/{name}
func (w *Weather) Climate(name string) (*Climate, error) {
	c, err := w.city(name)
	if err != nil {
		return nil, err
	}
	return &Climate{c.name, c.country, c.january, c.july}, nil
}

// Cities lists the cities whose climate is known.
//
//mcp:resource climate://cities mime=text/plain
func (w *Weather) Cities() string {
	var names strings.Builder
	for _, c := range cities() {
		fmt.Fprintln(&names, c.name)
	}
	return names.String()
}
