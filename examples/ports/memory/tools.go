package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// CreateEntities creates new entities in the graph. Those whose names are taken are left out.
//
//mcp:tool nondestructive idempotent closedworld
//mcp:param list name=entities
func (m *Memory) CreateEntities(list []Entity) (entities []Entity, done []mcp.ContentBlock, err error) {
	err = m.change(func(g *Graph) error {
		g.Entities, entities = added(g.Entities, list, func(a, b Entity) bool { return a.Name == b.Name })
		return nil
	})
	return entities, text("Entities created successfully"), err
}

// CreateRelations creates new relations between entities. Those that exist are left out.
//
//mcp:tool nondestructive idempotent closedworld
//mcp:param list name=relations
func (m *Memory) CreateRelations(list []Relation) (relations []Relation, done []mcp.ContentBlock, err error) {
	err = m.change(func(g *Graph) error {
		g.Relations, relations = added(g.Relations, list, equal)
		return nil
	})
	return relations, text("Relations created successfully"), err
}

// AddObservations adds new observations to entities.
//
//mcp:tool nondestructive idempotent closedworld
//mcp:param list name=observations
func (m *Memory) AddObservations(list []Observations) (observations []Observations, done []mcp.ContentBlock, err error) {
	err = m.change(func(g *Graph) error {
		for _, o := range list {
			e := g.entity(o.EntityName)
			if e == nil {
				return fmt.Errorf("entity with name %s not found", o.EntityName)
			}
			e.Observations, o.Contents = added(e.Observations, o.Contents, equal)
			observations = append(observations, o)
		}
		return nil
	})
	return observations, text("Observations added successfully"), err
}

// DeleteEntities removes entities, and their relations.
//
//mcp:tool destructive idempotent closedworld
func (m *Memory) DeleteEntities(entityNames []string) (string, error) {
	return "Entities deleted successfully", m.change(func(g *Graph) error {
		g.Entities = slices.DeleteFunc(g.Entities, func(e Entity) bool { return slices.Contains(entityNames, e.Name) })
		g.Relations = slices.DeleteFunc(g.Relations, func(r Relation) bool {
			return slices.Contains(entityNames, r.From) || slices.Contains(entityNames, r.To)
		})
		return nil
	})
}

// DeleteObservations removes observations from entities.
//
//mcp:tool destructive idempotent closedworld
func (m *Memory) DeleteObservations(deletions []Deletion) (string, error) {
	return "Observations deleted successfully", m.change(func(g *Graph) error {
		for _, d := range deletions {
			if e := g.entity(d.EntityName); e != nil {
				e.Observations = slices.DeleteFunc(e.Observations, func(o string) bool { return slices.Contains(d.Observations, o) })
			}
		}
		return nil
	})
}

// DeleteRelations removes relations from the graph.
//
//mcp:tool destructive idempotent closedworld
func (m *Memory) DeleteRelations(relations []Relation) (string, error) {
	return "Relations deleted successfully", m.change(func(g *Graph) error {
		g.Relations = slices.DeleteFunc(g.Relations, func(r Relation) bool { return slices.Contains(relations, r) })
		return nil
	})
}

// ReadGraph reads the entire graph.
//
//mcp:tool readonly closedworld
func (m *Memory) ReadGraph() (Graph, []mcp.ContentBlock, error) {
	g, err := m.part(func(Entity) bool { return true })
	return g, text("Graph read successfully"), err
}

// SearchNodes finds the entities that have a text in their name, their type or an observation, and the relations between
// them.
//
//mcp:tool readonly closedworld
func (m *Memory) SearchNodes(query string) (Graph, []mcp.ContentBlock, error) {
	query = strings.ToLower(query)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), query) }
	g, err := m.part(func(e Entity) bool {
		return has(e.Name) || has(e.EntityType) || slices.ContainsFunc(e.Observations, has)
	})
	return g, text("Nodes searched successfully"), err
}

// OpenNodes reads the entities of these names, and the relations between them.
//
//mcp:tool readonly closedworld
func (m *Memory) OpenNodes(names []string) (Graph, []mcp.ContentBlock, error) {
	g, err := m.part(func(e Entity) bool { return slices.Contains(names, e.Name) })
	return g, text("Nodes opened successfully"), err
}

func text(s string) []mcp.ContentBlock { return []mcp.ContentBlock{server.Text(s)} }
