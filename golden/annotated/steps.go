package annotated

import (
	"encoding/json"
	"go/token"
	"math/big"
)

// Steps are numbers that are multiples, or within bounds that are no numbers of theirs.
type Steps struct {
	//mcp:param multipleof=15 min=-60 max=600
	Minutes int `json:"minutes"`
	//mcp:param multipleof=0.01 min=0
	Price float64 `json:"price"`
	//mcp:param multipleof=0.1 min=0 max=9
	Tenth float32 `json:"tenth"`
	//mcp:param multipleof=1000000007
	Big *big.Int `json:"big"`
	//mcp:param multipleof=2.5e-3 max=1
	Exact json.Number `json:"exact"`
	//mcp:param above=0 below=1
	Share float64 `json:"share"`
	//mcp:param above=-0.5 max=2
	Rate float32 `json:"rate"`
	//mcp:param above=3 below=17
	Count uint8 `json:"count"`
	//mcp:param min=0 below=1e3
	Text json.Number `json:"text"`
	//mcp:param above=0.5 multipleof=0.25
	Quarter *float64 `json:"quarter,omitempty"`
}

// EchoSteps gives back numbers.
//
//mcp:tool strict
func EchoSteps(s Steps) Steps { return s }

// Inside have limits on what is in them, however deep.
type Inside struct {
	//mcp:param unique maxlen=6 items.maxlen=3
	Words []string `json:"words"`
	//mcp:param unique minlen=1
	Numbers []int8 `json:"numbers"`
	//mcp:param unique items.multipleof=0.5 items.min=-50 items.max=50 maxlen=30
	Halves []float64 `json:"halves"`
	//mcp:param unique
	Units *[]Unit `json:"units,omitempty"`
	//mcp:param unique
	Pair [2]bool `json:"pair"`
	//mcp:param keys.pattern=^[a-z]{1,2}$ values.minlen=1 values.items.min=0 values.items.below=10
	Ports map[string][]float64 `json:"by_name"`
	//mcp:param keys.minlen=2 keys.maxlen=4 maxlen=2 values.values.multipleof=3
	Deep map[string]map[int8]int `json:"deep"`
	//mcp:param keys.enum=celsius,kelvin
	Degrees map[Unit]float64 `json:"degrees"`
	//mcp:param keys.format=ipv4 values.pattern=^[a-z]+$
	Hosts map[string]*string `json:"v4hosts"`
	//mcp:param items.unique items.maxlen=3 items.items.enum=1,2,3
	Rows [][]int `json:"rows"`
}

// EchoInside gives back lists and maps.
//
//mcp:tool strict
func EchoInside(p Inside) Inside { return p }

// EchoPaths gives back what it says more about than its types do, of which one is of another package.
//
//mcp:tool strict
//mcp:desc at.Filename Where it is, without folders.
//mcp:param at.Filename pattern=^[a-z]+[.]go$ name=file
//mcp:param at.Offset optional min=0
//mcp:param at.Line min=1 default=1
//mcp:param at.Column multipleof=2
//mcp:param pages.items.Next maxlen=3
//mcp:param pages.items.Items.items minlen=1
//mcp:param trees.values.Kids.items.Value above=0 below=10
func EchoPaths(at *token.Position, pages []Page[string], trees map[string]Tree, plain token.Position) (where *token.Position, first string, tree Tree, other token.Position) {
	if len(pages) > 0 {
		first = pages[0].Next
	}
	return at, first, trees["a"], plain
}

// EchoFields gives back the fields that are arguments, and the others as they are without them.
//
//mcp:tool strict
//mcp:param at fields=Line,Filename
//mcp:param other fields=Column
//mcp:param other.Column min=1
func EchoFields(at token.Position, other *token.Position) (where token.Position, too *token.Position) {
	return at, other
}

// EchoGiven has defaults that are no scalars.
//
//mcp:tool strict
//mcp:param list default=["a","b"] unique
//mcp:param pair default=[1,-2]
//mcp:param counts default={"a":1}
//mcp:param point default={"x":1,"y":2}
//mcp:param tree default={"value":1,"kids":[{"value":2}]}
//mcp:param n default=3 max=9
func EchoGiven(list []string, pair [2]int, counts map[string]int, point Point, tree *Tree, n *int) (l []string, p [2]int, c map[string]int, q Point, t *Tree, m *int) {
	return list, pair, counts, point, tree, n
}

// EchoOne takes one of several.
//
//mcp:tool strict oneof=id,name
func EchoOne(id *int, name *string, open bool) (i *int, n *string) { return id, name }
