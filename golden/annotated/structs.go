package annotated

import "time"

// A Base is embedded.
type Base struct {
	ID   int64  `json:"id"`
	Kind string `json:"kind"` // hidden by that of Structs
}

// A Stamp is embedded by a pointer.
type Stamp struct {
	By string     `json:"by"`
	At *time.Time `json:"at,omitempty"` // when
}

// Structs nest.
type Structs struct {
	Base
	*Stamp
	Kind   string `json:"kind"` // of what
	Inner  Inner  `json:"inner"`
	NoName struct {
		A int
		B bool `json:"b,omitempty"`
	} `json:"no_name"`
	Page    Page[Point]    `json:"page"`
	Pages   []Page[string] `json:"pages"`
	Skipped chan int       `json:"-"`
	//lint:ignore U1000 generated code must leave it out
	private int
}

// Inner takes members that it does not know.
//
//mcp:schema open
type Inner struct {
	Text  string `json:"text"`
	Dash  int    `json:"dash"`
	Umläu string `json:"ümläut"`
}

// A Page is a part of a list.
type Page[T any] struct {
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"` // where the next one begins
}

// EchoStructs gives back structs.
//
//mcp:tool strict
func EchoStructs(s Structs) Structs { return s }

// EchoOpen ignores arguments that it does not know.
//
//mcp:tool strict open
func EchoOpen(s string, p *Point) (t string, q *Point) { return s, p }

// A Tree has branches.
type Tree struct {
	Value int    `json:"value"`
	Kids  []Tree `json:"kids,omitempty"`
}

// A Folder and a File contain each other.
type Folder struct {
	Name  string           `json:"name"`
	Files map[string]*File `json:"files"`
}

// A File may be an archive.
type File struct {
	Size    uint32  `json:"size"`
	Archive *Folder `json:"archive"`
}

// EchoTree gives back recursive values.
//
//mcp:tool strict
func EchoTree(tree Tree, folder *Folder) (t Tree, f *Folder) { return tree, folder }

// A Node is a result that is recursive itself.
type Node struct {
	Name string `json:"name"`
	Next *Node  `json:"next"`
}

// EchoNode gives back a list.
//
//mcp:tool strict
func EchoNode(n Node) Node { return n }
