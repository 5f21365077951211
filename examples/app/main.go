// App is a server whose tool is shown as a page: a chart of the tides, which redraws itself by calling the tool again. A
// client that shows no pages gets the same as structured content and text. The page is written in TypeScript; go generate
// makes one file of it.
//
//	go tool mcpgen dev ./examples/app
//
// shows it in a browser, in a host for tests.
//
//mcp:server name=tides version=1.0.0 "description=When the water is high and low in some ports"
package main

//go:generate go tool mcpgen tools

import (
	"fmt"
	"math"
	"time"

	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
)

func main() {
	serve.Main(func() (*server.Server, error) { return NewServer(nil) })
}

// A Level is the height of the water at a time of the day.
type Level struct {
	Hour   float64 `json:"hour"`   // hours since midnight
	Meters float64 `json:"meters"` // above or below the mean
}

// Curve is the tide of a day.
type Curve struct {
	Port   string  `json:"port"`
	Date   string  `json:"date"`
	Levels []Level `json:"levels"`
}

// A port has a tide of its own.
type port struct {
	name   string
	height float64 // in meters, of an average tide
	lag    float64 // in hours, behind the moon
}

var ports = []port{{"Brest", 4.4, 3.8}, {"Cuxhaven", 2.9, 12.1}, {"Saint John", 6.8, 11.5}, {"Venice", 0.6, 10.4}}

// month is how long the moon takes from new to new, moon a new moon, and tide half of how long it takes around the earth.
const (
	month = 29.53 * 24
	tide  = 12.42
)

var moon = time.Date(2000, 1, 6, 18, 14, 0, 0, time.UTC)

// Tide predicts the height of the water in a port, hour by hour.
//
//mcp:tool readonly closedworld
//mcp:app file=tide border=true
//mcp:desc port One of the ports that the server knows, such as Brest.
//mcp:desc date The day, such as 2026-03-21.
func Tide(port, date string) (*Curve, error) {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil, fmt.Errorf("want a day such as 2026-03-21, got %s", date)
	}
	for _, p := range ports {
		if p.name != port {
			continue
		}
		c := &Curve{Port: p.name, Date: date}
		for hour := 0.0; hour <= 24; hour++ {
			since := day.Sub(moon).Hours() + hour
			spring := 1 + 0.25*math.Cos(4*math.Pi*since/month) // sun and moon together, or against each other
			level := p.height / 2 * spring * math.Cos(2*math.Pi*(since-p.lag)/tide)
			c.Levels = append(c.Levels, Level{hour, math.Round(level*100) / 100})
		}
		return c, nil
	}
	return nil, fmt.Errorf("there is no port %s; there are %v", port, Ports())
}

// Ports lists the ports, for the menu of the page.
//
//mcp:tool readonly closedworld
//mcp:app visibility=app
func Ports() (names []string) {
	for _, p := range ports {
		names = append(names, p.name)
	}
	return names
}
