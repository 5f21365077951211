package example

import (
	"fmt"
	"strings"
)

// A Station measures temperatures in some cities. Who may do what is decided by scopes.
type Station struct {
	Celsius map[string]float64 // by city
}

// Calibrate shifts what is measured from now on.
//
//mcp:tool scope=stations:write,stations:calibrate
func (s *Station) Calibrate(celsius float64) {
	for city := range s.Celsius {
		s.Celsius[city] += celsius
	}
}

// Compare asks for the warmer one of two cities.
//
//mcp:prompt scope=stations:read
func (s *Station) Compare(one, other string) string {
	return fmt.Sprintf("Which is warmer: %s with %v °C, or %s with %v °C?", one, s.Celsius[one], other, s.Celsius[other])
}

// Units are the units of measurement.
//
//mcp:resource station://units scope=stations:read
func (s *Station) Units() string { return string(Celsius) }

// Measured is what was measured last in a city.
//
//mcp:resource station://{city}/now scope=stations:read,station:{city}
func (s *Station) Measured(city string) string {
	return fmt.Sprintf("%s: %v °C", city, s.Celsius[city])
}

// Cities suggests cities.
//
//mcp:complete Station.Measured city
func (s *Station) Cities(value string) []string {
	var cities []string
	for city := range s.Celsius {
		if strings.HasPrefix(city, value) {
			cities = append(cities, city)
		}
	}
	return cities
}
