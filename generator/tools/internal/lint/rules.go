package lint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Rule is something that a client refuses or changes.
type Rule struct {
	Name    string
	Meaning string   // what is found
	Cure    string   // what to do about it
	Sources []Source // where it is known from
}

// A Source is a public document that shows what a client does.
type Source struct {
	Profiles string // the clients it is about, with blanks between them
	Document string // a page, or the issue of a repository on GitHub: owner/name#number
	Date     string
}

// A rule is a Rule with the function that checks it, for one tool or for all.
type rule struct {
	Rule
	check func(c *checker)
	all   bool
}

// Rules returns all rules.
func Rules() []Rule {
	var all []Rule
	for _, r := range rules {
		all = append(all, r.Rule)
	}
	return all
}

// strictFormats lists the formats of strings that OpenAI's strict mode accepts.
var strictFormats = []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}

// geminiFormats lists the formats of Gemini's schema.
var geminiFormats = []string{"enum", "date-time"}

// strictKeywords lists the keywords that OpenAI's strict mode does not accept, geminiKeywords those that Gemini's
// schema does not have, without those that have their own rules.
var (
	strictKeywords = []string{
		"oneOf", "propertyNames", "patternProperties", "unevaluatedProperties", "minProperties", "maxProperties",
		"unevaluatedItems", "contains", "minContains", "maxContains", "uniqueItems",
	}
	geminiKeywords = []string{
		"const", "oneOf", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems", "propertyNames", "examples",
	}
)

// Names of tools and arguments.
var (
	toolName     = regexp.MustCompile(`^[a-zA-Z0-9_-]*$`)
	leadingName  = regexp.MustCompile(`^[a-zA-Z_]`)
	memberName   = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	argumentName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
)

const maxName = 64

// Lengths of descriptions: one is refused above the first, and cut off above the second.
const (
	maxDescription = 1024
	cutDescription = 2048
)

var rules = []rule{
	{Rule{"tools", "more tools than can be used at once", "offer fewer, or split the server", []Source{
		{"vscode", "microsoft/vscode#253539", "2025-07-02"}, {"vscode", "microsoft/vscode#337428", "2026-09-23"},
	}}, checkTools, true},
	{Rule{"name", "the name of a tool is too long, or has other characters than letters, digits, _ and -", "give it another name, by //mcp:tool name=", []Source{
		{"claude", "evoila/meho#2745", "2026-08-02"}, {"gemini", "wonderwhy-er/DesktopCommanderMCP#79", "2025-07-06"},
		{"openai", "nanbingxyz/5ire#403", "2026-01-17"}, {"vscode", "ArtisanGameworks/SpecialAgentPlugin#4", "2026-03-15"},
	}}, checkName, false},
	{Rule{"description", "a tool has no description, or one that is refused or cut off", "say in a sentence or two what the tool does, and when to use it", []Source{
		{"claude gemini openai vscode", "Model Context Protocol, schema 2025-11-25, Tool.description", "2025-11-25"},
		{"openai", "getsentry/sentry-mcp#106", "2025-04-25"}, {"claude", "anthropics/claude-code#41593", "2026-03-31"},
	}}, checkDescription, false},
	{Rule{"union", "the schema of the arguments is a union (oneOf, anyOf, allOf)", "make the union one argument, or describe in words what goes together", []Source{
		{"claude", "anthropics/claude-code#5973", "2025-08-17"}, {"openai", "MemPalace/mempalace#1728", "2026-06-10"},
	}}, checkUnion, false},
	{Rule{"argument", "the name of an argument or a member has other characters, or is too long", "give it another name, by name= in //mcp:param or a json tag", []Source{
		{"claude vscode", "microsoft/azure-devops-mcp#341", "2025-07-24"}, {"gemini", "Vertex AI, REST reference, FunctionDeclaration.parameters", "2026"},
	}}, checkArgument, false},
	{Rule{"open", "an object may have any members", "take a struct that is not open, or a slice of structs with a name and a value", []Source{
		{"openai", "vercel-labs/json-render#180", "2026-03-05"}, {"gemini", "promptfoo/promptfoo#6902", "2026-01-01"},
	}}, checkOpen, false},
	{Rule{"format", "a format of strings that is not known", "take a string, and give it a pattern or say in its description what it looks like", []Source{
		{"gemini", "hideya/langchain-mcp-tools-ts#36", "2025-06-17"}, {"openai", "can1357/oh-my-pi#206", "2026-02-28"},
		{"openai", "pydantic/pydantic-ai, profiles/openai.py", "2026"},
	}}, checkFormat, false},
	{Rule{"keyword", "a keyword of JSON Schema that is not known", "take a simpler type, or say in the description what goes", []Source{
		{"gemini", "hideya/langchain-mcp-tools-ts#36", "2025-06-17"}, {"gemini", "taylorwilsdon/google_workspace_mcp#1099", "2026-09-06"},
		{"gemini", "router-for-me/CLIProxyAPI#2142", "2026-03-14"}, {"gemini", "decolua/9router#2317", "2026-07-03"},
		{"gemini", "tailcallhq/forgecode#3426", "2026-05-31"}, {"gemini", "AstrBotDevs/AstrBot#7572", "2026-04-15"},
		{"openai", "vercel-labs/json-render#180", "2026-03-05"}, {"openai", "pydantic/pydantic-ai, profiles/openai.py", "2026"},
	}}, checkKeyword, false},
	{Rule{"recursion", "a type that contains itself", "take a flat list, in which one item names another", []Source{
		{"gemini", "nspady/google-calendar-mcp#134", "2025-11-27"},
	}}, checkRecursion, false},
	{Rule{"items", "an array whose items may be anything", "take a slice of one type", []Source{
		{"vscode", "microsoft/vscode#246119", "2025-04-08"}, {"openai", "pydantic/pydantic-ai#4425", "2026"},
	}}, checkItems, false},
	{Rule{"output", "the schema of the result is not one of an object", "return a struct", []Source{
		{"claude", "anthropics/claude-code#10030", "2025-10-21"}, {"claude", "modelcontextprotocol/typescript-sdk#1169", "2025-11-25"},
	}}, checkOutput, false},
	{Rule{"undescribed", "an argument, a member or a value of an enum has no description", "say what it means, in the comment of the function, the field or the constant", []Source{
		{Model, "modelcontextprotocol/modelcontextprotocol#1382", "2025-08-23"},
	}}, checkUndescribed, false},
	{Rule{"alike", "two tools that a model takes for each other: their names, or their descriptions, differ in next to nothing", "rename one, and say in each description when to use it rather than the other, or make one tool of both", []Source{
		{Model, "sundarshahithakuri.com.np/mcp-audit/ambiguous-tools", "2026"},
	}}, checkAlike, true},
}

func checkTools(c *checker) {
	if len(c.tools) > c.maxTools {
		c.add("", fmt.Sprintf("%d, at most %d can be used at once", len(c.tools), c.maxTools), "vscode")
	}
}

func checkName(c *checker) {
	if n := len(c.tool.Name); n > maxName {
		c.add("", fmt.Sprintf("%d characters, at most %d are taken", n, maxName), "claude", "gemini", "openai")
	}
	if !toolName.MatchString(c.tool.Name) {
		c.add("", "only letters, digits, _ and - are taken", "claude", "vscode")
	}
	if !leadingName.MatchString(c.tool.Name) {
		c.add("", "it must begin with a letter or _", "gemini")
	}
}

func checkDescription(c *checker) {
	n := utf8.RuneCountInString(c.tool.Description)
	switch {
	case n == 0:
		c.add("", "there is none", Profiles...)
	case n > maxDescription:
		c.add("", fmt.Sprintf("%d characters, at most %d are taken", n, maxDescription), "openai")
	}
	if n > cutDescription {
		c.add("", fmt.Sprintf("%d characters, the model sees the first %d", n, cutDescription), "claude")
	}
}

func checkUnion(c *checker) {
	for _, k := range []string{"oneOf", "anyOf", "allOf"} {
		if c.input[k] != nil {
			c.add("input", k, "claude", "openai")
		}
	}
}

func checkArgument(c *checker) {
	walk("input", c.input, func(path string, s map[string]any) {
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			at := path + "." + name
			if !memberName.MatchString(name) {
				c.add(at, "only 64 letters, digits, _, . and - are taken", "claude", "vscode")
			}
			if path == "input" && !argumentName.MatchString(name) {
				c.add(at, "only 64 letters, digits and _ are taken, and no digit first", "gemini")
			}
		}
	})
}

func checkOpen(c *checker) {
	walk("input", c.input, func(path string, s map[string]any) {
		if s["type"] != "object" || s["additionalProperties"] == false || s["oneOf"] != nil {
			return
		}
		profiles := []string{"openai"}
		if s["additionalProperties"] != nil {
			profiles = append(profiles, "gemini")
		}
		c.add(path, "it takes members that are not named in the schema", profiles...)
	})
}

func checkFormat(c *checker) {
	walk("input", c.input, func(path string, s map[string]any) {
		format, _ := s["format"].(string)
		if format == "" {
			return
		}
		if !slices.Contains(strictFormats, format) {
			c.add(path, format, "openai")
		}
		if !slices.Contains(geminiFormats, format) {
			c.add(path, format, "gemini")
		}
	})
}

// checkKeyword finds keywords that OpenAI's strict mode or Gemini's schema does not know, one that neither knows once.
// The keyword oneOf of all arguments is left to the rule union, and const to the oneOf whose arms it tells apart.
func checkKeyword(c *checker) {
	walk("input", c.input, func(path string, s map[string]any) {
		for _, k := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(strictKeywords, geminiKeywords)))) {
			if s[k] == nil || path == "input" && k == "oneOf" || k == "const" && strings.Contains(path, "(oneOf ") {
				continue // which another rule, or the union around it, says
			}
			if slices.Contains(strictKeywords, k) {
				c.add(path, k, "openai")
			}
			if slices.Contains(geminiKeywords, k) {
				c.add(path, k, "gemini")
			}
		}
	})
}

func checkRecursion(c *checker) {
	if name := recursive(c.input); name != "" {
		c.add("input", name, "gemini")
	}
}

// checkItems finds arrays whose items have no schema, or one that does not say of which type they are. prefixItems says
// it for each.
func checkItems(c *checker) {
	walk("input", c.input, func(path string, s map[string]any) {
		if s["type"] != "array" || s["prefixItems"] != nil {
			return
		}
		items, ok := s["items"].(map[string]any)
		typed := slices.ContainsFunc([]string{"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}, func(k string) bool { return items[k] != nil })
		if !typed {
			c.add(path, "they have no type", "openai")
		}
		if !ok {
			c.add(path, "they have no schema", "vscode")
		}
	})
}

func checkOutput(c *checker) {
	if c.output != nil && c.output["type"] != "object" {
		c.add("output", `it has no "type": "object"`, "claude")
	}
}
