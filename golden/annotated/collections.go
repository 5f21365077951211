package annotated

import "net/netip"

// A Point is a place.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Collections have elements.
type Collections struct {
	Strings  []string              `json:"strings"`
	Matrix   [][]int8              `json:"matrix"`
	Pair     [2]float64            `json:"pair"`
	Digest   [3]byte               `json:"digest"`
	Blobs    [][]byte              `json:"blobs"`
	Points   []Point               `json:"points"`
	Pointers []*Point              `json:"pointers"`
	Units    []Unit                `json:"units"`
	Counts   map[string]uint16     `json:"counts"`
	Names    map[Unit]string       `json:"names"`
	Levels   map[Level]int         `json:"levels"`
	Days     map[int16]bool        `json:"days"`
	Ports    map[uint8][]string    `json:"ports"`
	Hosts    map[netip.Addr]string `json:"hosts"`
	Nested   map[string]map[string]Point
}

// EchoCollections gives back lists and maps.
//
//mcp:tool strict
func EchoCollections(c Collections) Collections { return c }
