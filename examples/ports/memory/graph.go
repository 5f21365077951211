package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
)

// An Entity is a node of the graph, and what is known about it.
type Entity struct {
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
}

// A Relation leads from one entity to another.
type Relation struct {
	From         string `json:"from"`
	To           string `json:"to"`
	RelationType string `json:"relationType"`
}

// Observations are of one entity.
type Observations struct {
	EntityName string   `json:"entityName"`
	Contents   []string `json:"contents"`
}

// A Deletion says which observations to remove from an entity. It is open for members that clients used to send.
//
//mcp:schema open
//mcp:desc Which observations to remove from an entity.
type Deletion struct {
	EntityName   string   `json:"entityName"`
	Observations []string `json:"observations"`
}

// A Graph is entities and the relations between them.
type Graph struct {
	Entities  []Entity   `json:"entities"`
	Relations []Relation `json:"relations"`
}

func (g *Graph) entity(name string) *Entity {
	for i := range g.Entities {
		if g.Entities[i].Name == name {
			return &g.Entities[i]
		}
	}
	return nil
}

// added appends to a list what it does not have, and returns that, too.
func added[T any](list, more []T, same func(a, b T) bool) (all, added []T) {
	for _, v := range more {
		if !slices.ContainsFunc(list, func(have T) bool { return same(have, v) }) {
			list, added = append(list, v), append(added, v)
		}
	}
	return list, added
}

func equal[T comparable](a, b T) bool { return a == b }

// Memory keeps the graph.
type Memory struct {
	file string // "" is none

	mu   sync.Mutex
	data []byte // what the file holds, or would hold
}

// change lets f change the graph, and keeps it if there is no error.
func (m *Memory) change(f func(*Graph) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.load()
	if err != nil {
		return err
	}
	if err := f(&g); err != nil {
		return err
	}
	return m.store(g)
}

// part returns the entities that f selects, and the relations between them.
func (m *Memory) part(f func(Entity) bool) (Graph, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	g, err := m.load()
	g.Entities = slices.DeleteFunc(g.Entities, func(e Entity) bool { return !f(e) })
	g.Relations = slices.DeleteFunc(g.Relations, func(r Relation) bool { return g.entity(r.From) == nil || g.entity(r.To) == nil })
	return g, err
}

// An item of the file is an entity or a relation.
type item struct {
	Type string `json:"type"`
	*Entity
	*Relation
}

func (m *Memory) load() (g Graph, err error) {
	if m.file != "" {
		m.data, err = os.ReadFile(m.file)
	}
	if len(m.data) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		return g, nil
	}
	var items []item
	if err == nil {
		err = json.Unmarshal(m.data, &items)
	}
	for _, i := range items {
		switch {
		case i.Entity != nil:
			g.Entities = append(g.Entities, *i.Entity)
		case i.Relation != nil:
			g.Relations = append(g.Relations, *i.Relation)
		}
	}
	return g, err
}

func (m *Memory) store(g Graph) (err error) {
	var items []item
	for _, e := range g.Entities {
		items = append(items, item{Type: "entity", Entity: &e})
	}
	for _, r := range g.Relations {
		items = append(items, item{Type: "relation", Relation: &r})
	}
	if m.data, err = json.Marshal(items); err == nil && m.file != "" {
		err = os.WriteFile(m.file, m.data, 0o600)
	}
	return err
}
