package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

const configPath = "github.com/mcpgen/mcpgen/runtime/config"

// emitConfig writes the function that defines the flags of the configuration.
func (g *generator) emitConfig(c *ir.Config) {
	g.pos = c.Pos
	obj := c.Go.Obj()
	name := source.BindName(obj.Name())
	g.declareExported(name)
	config := func(name string) *jen.Statement { return g.qual(configPath, "config", name) }
	into, flags, getenv := g.id("c"), g.id("flags"), g.id("getenv")
	comment(g.file, "%s defines the flags of c, and sets c from getenv, such as os.Getenv, and from defaults. After flags have been\n"+
		"parsed, check says what is wrong or missing.", name)
	g.file.Func().Id(name).Params(
		into.Clone().Op("*").Add(g.typ(obj.Type())),
		flags.Clone().Op("*").Add(g.std("flag", "FlagSet")),
		getenv.Clone().Func().Params(jen.String()).String(),
	).Params(jen.Id("check").Func().Params().Error()).BlockFunc(func(b *jen.Group) {
		args := []jen.Code{flags.Clone(), getenv.Clone()}
		for _, s := range c.Settings {
			args = append(args, config("Setting").ValuesFunc(func(v *jen.Group) {
				field := jen.Op("&").Add(into.Clone()).Dot(s.Field)
				v.Id("Value").Op(":").Add(config(settingValues[s.Kind]).Call(field))
				setText(v, "Env", s.Env)
				setText(v, "Flag", s.Flag)
				setText(v, "Usage", s.Description)
				setText(v, "Default", s.Default)
				if len(s.Enum) > 0 {
					v.Id("Enum").Op(":").Index().String().ValuesFunc(func(v *jen.Group) {
						for _, e := range s.Enum {
							v.Add(literal(e))
						}
					})
				}
				if s.Secret {
					v.Id("Secret").Op(":").Add(jen.Lit(true))
				}
				if s.Required {
					v.Id("Required").Op(":").Add(jen.Lit(true))
				}
			}))
		}
		b.Return(config("Bind").Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, args...))
	})
	g.file.Line()
}

// settingValues names the functions of package config that make values of each kind.
var settingValues = map[string]string{
	types.Typ[types.String].Name():  "String",
	types.Typ[types.Bool].Name():    "Bool",
	types.Typ[types.Int].Name():     "Int",
	types.Typ[types.Float64].Name(): "Float",
	"duration":                      "Duration",
}
