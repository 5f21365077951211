package model

import (
	"fmt"
	"maps"
	"slices"
)

// An Exception is an entry of the tables of facts that no rule can derive from a schema, for those who report them.
type Exception struct {
	Extension string // its identifier, empty for the protocol
	Action    string // what the table does: "absence", "rename"
	At        string // a path from a declaration, "Tool.inputSchema", or a method
	To        string // what it becomes, means or needs; empty where the action says it
	From      string // the first revision that it applies to
	Until     string // the first revision after them; empty if there is none
	Reason    string
}

// Exceptions returns the entries of all tables: those of the protocol, then those of each extension.
func Exceptions() []Exception {
	var all []Exception
	add := func(extension string, table []exception) {
		for _, e := range table {
			x := Exception{Extension: extension, Action: string(e.do), At: e.at, From: e.from, Until: e.until, Reason: e.reason}
			switch to := e.to.(type) {
			case nil:
			case errorCode:
				x.To = to.name + " " + to.value
			default:
				x.To = fmt.Sprint(to)
			}
			all = append(all, x)
		}
	}
	add("", table)
	tables := extensionTables()
	for _, id := range slices.Sorted(maps.Keys(tables)) {
		add(id, tables[id])
	}
	return all
}
