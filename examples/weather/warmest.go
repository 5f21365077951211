package main

import "time"

// Warmest compares cities.
//
//   - names: English names of the cities
//
//mcp:tool readonly
//mcp:param names minlen=2
//mcp:param date optional
func (w *Weather) Warmest(names []string, date time.Time) (city string, high float64, err error) {
	if date.IsZero() {
		date = w.Now()
	}
	for i, name := range names {
		c, err := w.city(name)
		if err != nil {
			return "", 0, err
		}
		if t := c.weather(date, Celsius).High; i == 0 || t > high {
			city, high = c.name, t
		}
	}
	return city, high, nil
}
