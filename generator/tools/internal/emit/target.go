package emit

import (
	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// A target is a library that generated code registers with. It writes everything that depends on the library; the
// rest of this package writes the same for all targets.
type target interface {
	// command is the command line that makes a file for the target.
	command() string
	// typesPath is the import path of the protocol's types.
	typesPath() string
	// pointer stands before the element type of a slice of structs: * or nothing.
	pointer() *jen.Statement
	// hintPointers reports whether optional booleans that default to false (Required, ReadOnlyHint,
	// IdempotentHint) are pointers.
	hintPointers() bool

	toolTarget
	promptTarget
	resourceTarget
	registerTarget
}

type toolTarget interface {
	// handlerType is the type of a handler, of Tool, Prompt or Resource.
	handlerType(of string) *jen.Statement
	// toolParams are the parameters of a handler of tools.
	toolParams() []jen.Code
	// rawArguments is the JSON text of the arguments of a tool.
	rawArguments() *jen.Statement
	// fromCall is the value of a parameter that comes from the call.
	fromCall(p *ir.Param) *jen.Statement
	// raw is a JSON text as a definition holds it.
	raw(text *jen.Statement) *jen.Statement
	// iconSource and metaType are the names of the field for the source of an icon, and of the type of _meta.
	iconSource() string
	metaType() string
	// confirm writes the statements that ask a person before a tool is called.
	confirm(b *jen.Group, t *ir.Tool)
	// setTask sets in the definition of a tool how it runs as a task.
	setTask(v *jen.Group, t *ir.Tool)
	// addPage is the expression that registers the page of a tool, nil if it has none.
	addPage(t *ir.Tool) jen.Code
	// addTool is the expression that registers a tool.
	addTool(def string, handler *jen.Statement, t *ir.Tool) jen.Code
	// textResult is a result of one text.
	textResult(text *jen.Statement) *jen.Statement
	// structured is a result with structured content, and with the same as text.
	structured(content *jen.Statement) *jen.Statement
	// returnBoth writes the statements that return structured content beside blocks of content, which may be
	// none.
	returnBoth(b *jen.Group, content, blocks *jen.Statement)
	// returnResult writes the statement that returns what f returns as a *server.Result, result, whose output
	// is content.
	returnResult(b *jen.Group, f *ir.Func, result, content *jen.Statement)
	// progress is the expression of which nil means that nobody wants progress.
	progress() *jen.Statement
	// reportProgress is the statement that reports progress to what progress has returned.
	reportProgress(done, message *jen.Statement) *jen.Statement
}

type promptTarget interface {
	// promptParams are the parameters of a handler of prompts, and the map of arguments among them.
	promptParams() (params []jen.Code, arguments *jen.Statement)
	// userRole is the role of messages that a user has written.
	userRole() *jen.Statement
	// emitCompletion writes what suggests values for an argument of the prompt called of, or of that
	// template.
	emitCompletion(c *ir.Completion, prompt bool, of string)
}

type resourceTarget interface {
	// checkTemplate reports a template that the target cannot match. Parts are those of simpleTemplate.
	checkTemplate(r *ir.Resource, parts []jen.Code)
	// resourceHandler is the type of a handler of a resource or a template, and its parameters.
	resourceHandler(template bool) (typ *jen.Statement, params []jen.Code)
	// match writes the statements by which a handler of a template finds its values.
	match(b *jen.Group, parts []jen.Code)
	// addResource is the expression that registers a resource or a template.
	addResource(r *ir.Resource, parts []jen.Code, def string, handler *jen.Statement) jen.Code
	// notFound is the error for a resource that does not exist.
	notFound() *jen.Statement
	// textResource and blobResource are results of one content.
	textResource(r *ir.Resource, text *jen.Statement) *jen.Statement
	blobResource(r *ir.Resource, blob *jen.Statement) *jen.Statement
}

type registerTarget interface {
	// add is the expression that registers a definition and its handler, for those whom access names, by a
	// method of the server.
	add(method, def string, handler *jen.Statement, access *ir.Access) jen.Code
	serverType() *jen.Statement
	optionsType() *jen.Statement
	// register completes a function that registers what adds are.
	register(f *jen.Statement, adds []jen.Code)
	// emitCompletions writes what all completions need together.
	emitCompletions()
	// setOptions are the statements that complete the options of a server.
	setOptions(opts *jen.Statement) []jen.Code
	// newServerResults are the results of the function that makes a server.
	newServerResults() *jen.Statement
	// newServer writes the statements that make a server, let calls register, and return it.
	newServer(b *jen.Group, info, opts *jen.Statement, calls []jen.Code)
}

// runtimeTarget is the target for a server of package runtime/server.
type runtimeTarget struct{ *generator }

// gosdk is the target for a server of github.com/modelcontextprotocol/go-sdk.
type gosdk struct {
	*generator
	completions []sdkCompletion
}

func (g *generator) ctxParam() *jen.Statement {
	return g.id("ctx").Add(g.std("context", "Context"))
}

func (g *generator) toolResults() *jen.Statement { return g.resultsOf("CallToolResult") }

func (g *generator) resultsOf(typ string) *jen.Statement {
	return jen.Params(jen.Op("*").Add(g.mcp(typ)), jen.Error())
}
