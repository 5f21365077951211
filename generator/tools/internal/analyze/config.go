package analyze

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

var (
	envName  = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	flagName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// config reads the struct that is the configuration of the program.
func (a *analyzer) config(f *source.File, spec *ast.TypeSpec) {
	notes := f.Notes[spec]
	o, ok := a.pkg.Info.Defs[spec.Name].(*types.TypeName)
	i := slices.IndexFunc(notes, func(d *directive.Directive) bool { return d.Name == "config" })
	if i < 0 || !ok {
		return
	}
	d := notes[i]
	a.problems.Once(d, notes)
	syntax, isStruct := spec.Type.(*ast.StructType)
	named, isNamed := o.Type().(*types.Named)
	switch {
	case !isStruct || !isNamed || spec.TypeParams != nil:
		a.problems.Addf(d.Pos(), "%s: a configuration is a struct without type parameters, and %s is none", d, o.Name())
		return
	case a.out.Config != nil:
		a.problems.Addf(d.Pos(), "%s: a package has one configuration, and %s is it already", d, a.out.Config.Go.Obj().Name())
		return
	}
	for _, v := range d.Given {
		a.problems.Addf(v.Pos, "%s: %s is about a field, not about the struct", d, v.Key)
	}
	c := &ir.Config{Go: named, Pos: a.pkg.Position(d.Pos())}
	a.out.Config = c
	taken := map[string]string{"flag -help": "help", "flag -h": "help", "flag -http": "package serve", "flag -host": "package serve"}
	claim := func(v *directive.Value, d *directive.Directive, what, field string) {
		if other, ok := taken[what]; ok {
			a.problems.Addf(v.Pos, "%s: the %s belongs to %s already", d, what, other)
		}
		taken[what] = field
	}
	for _, field := range syntax.Fields.List {
		for _, d := range f.Notes[field] {
			if d.Name != "config" {
				continue
			}
			if len(field.Names) != 1 || !field.Names[0].IsExported() {
				a.problems.Addf(d.Pos(), "%s: a setting is one exported field with a name of its own", d)
				continue
			}
			v := a.pkg.Info.Defs[field.Names[0]].(*types.Var)
			s := a.setting(d, v)
			if e := d.Get("env"); e != nil {
				claim(e, d, "environment variable "+s.Env, s.Field)
			}
			if f := d.Get("flag"); f != nil {
				claim(f, d, "flag -"+s.Flag, s.Field)
			}
			c.Settings = append(c.Settings, s)
		}
	}
	if len(c.Settings) == 0 {
		a.problems.Addf(d.Pos(), "%s: no field of %s says where its value comes from; write //mcp:config env=VARIABLE or flag=NAME above one", d, o.Name())
	}
}

// setting reads the directive of one field.
func (a *analyzer) setting(d *directive.Directive, v *types.Var) *ir.Setting {
	s := &ir.Setting{
		Field: v.Name(), Kind: settingKind(v.Type()), Description: a.pkg.Sources.Doc(v),
		Secret: d.Has("secret"), Required: d.Has("required"), Pos: a.pkg.Position(d.Pos()),
	}
	if s.Kind == "" {
		a.problems.Addf(d.Pos(), "%s: %s has the type %s; a setting is a string, a bool, an int, a float64 or a time.Duration", d, v.Name(), a.pkg.TypeString(v.Type()))
	}
	if e := d.Get("env"); e != nil {
		s.Env = e.Text
		if !envName.MatchString(s.Env) {
			a.problems.Addf(e.Pos, "%s: env=%s: want letters, digits and _, as in env=WEATHER_KEY", d, directive.Visible(s.Env))
		}
	}
	if f := d.Get("flag"); f != nil {
		s.Flag = f.Text
		if !flagName.MatchString(s.Flag) {
			a.problems.Addf(f.Pos, "%s: flag=%s: want lower-case letters, digits and -, without a dash in front", d, directive.Visible(s.Flag))
		}
		if s.Secret {
			a.problems.Addf(f.Pos, "%s: a secret has no flag, which every user of the machine could read; keep env alone", d)
		}
	}
	if s.Env == "" && s.Flag == "" {
		a.problems.Addf(d.Pos(), "%s: where its value comes from is missing: env=VARIABLE or flag=NAME", d)
	}
	if e := d.Get("enum"); e != nil {
		s.Enum = directive.Split(e.Text)
		if s.Kind != "string" && s.Kind != "" {
			a.problems.Addf(e.Pos, "%s: enum is for strings, and %s is none", d, v.Name())
		}
	}
	if e := d.Get("default"); e != nil {
		s.Default = e.Text
		switch problem := settingProblem(s); {
		case s.Secret:
			a.problems.Addf(e.Pos, "%s: a secret has no default, which everybody could read", d)
		case s.Required:
			a.problems.Addf(e.Pos, "%s: what is required has no default; one of them must go", d)
		case problem != "":
			a.problems.Addf(e.Pos, "%s: default=%s: %s", d, directive.Visible(s.Default), problem)
		}
	}
	return s
}

// settingKind returns the kind of a setting of a type, empty if there is none.
func settingKind(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time" && n.Obj().Name() == "Duration" {
		return "duration"
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return ""
	}
	switch b.Kind() {
	case types.String, types.Bool, types.Int, types.Float64:
		return b.Name()
	}
	return ""
}

// settingProblem says what is wrong with a default, or nothing.
func settingProblem(s *ir.Setting) string {
	var err error
	switch s.Kind {
	case "bool":
		_, err = strconv.ParseBool(s.Default)
	case "int":
		_, err = strconv.Atoi(s.Default)
	case "float64":
		_, err = strconv.ParseFloat(s.Default, 64)
	case "duration":
		_, err = time.ParseDuration(s.Default)
	}
	switch {
	case err != nil, s.Kind != "string" && s.Kind != "duration" && !json.Valid([]byte(s.Default)): // formats have it as JSON
		return fmt.Sprintf("want a value of type %s", s.Kind)
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, s.Default):
		return "want one of " + strings.Join(s.Enum, ", ")
	}
	return ""
}
