package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A city has a climate: the temperatures of its coldest and its warmest month, which is half a year
// away, and how often it rains.
type city struct {
	name    string
	country string
	january float64 // mean temperature in degrees Celsius
	july    float64
	rainy   float64 // share of days with rain
}

// cities returns the cities whose climate is known, by name.
func cities() []city {
	return []city{
		{"Cairo", "Egypt", 14, 28.5, 0.02},
		{"Lima", "Peru", 23, 16.5, 0.05},
		{"Nairobi", "Kenya", 20, 17, 0.25},
		{"Oslo", "Norway", -4, 17.5, 0.32},
		{"Singapore", "Singapore", 26.5, 28, 0.45},
		{"Sydney", "Australia", 23.5, 13, 0.28},
		{"Tokyo", "Japan", 5.5, 26, 0.30},
	}
}

// weather is what the climate lets expect on a day.
func (c city) weather(date time.Time, unit Unit) Day {
	season := math.Cos(2 * math.Pi * float64(date.YearDay()-15) / 365) // 1 in the middle of January
	mean := (c.january+c.july)/2 + season*(c.january-c.july)/2
	return Day{Date: date, Low: unit.of(mean - 4), High: unit.of(mean + 4), Rain: c.rainy}
}

// of returns a temperature in degrees Celsius in this unit, rounded to tenths.
func (u Unit) of(celsius float64) float64 {
	if u == Fahrenheit {
		celsius = celsius*9/5 + 32
	}
	return math.Round(celsius*10) / 10
}

func (w *Weather) city(name string) (city, error) {
	all := cities()
	i := slices.IndexFunc(all, func(c city) bool { return strings.EqualFold(c.name, name) })
	if i < 0 {
		names := make([]string, len(all))
		for i, c := range all {
			names[i] = c.name
		}
		return city{}, fmt.Errorf("no climate is known of %q; there are %s", name, strings.Join(names, ", "))
	}
	return all[i], nil
}
