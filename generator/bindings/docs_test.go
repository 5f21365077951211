package bindings

import (
	"strings"
	"testing"
)

// comments returns the lines of all comments in the code for schemas, joined as if they had not been broken.
func comments(t *testing.T, schemas ...[2]string) string {
	t.Helper()
	files, err := Generate(merged(t, schemas...), Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		for line := range strings.Lines(string(file)) {
			if text, ok := strings.CutPrefix(strings.TrimSpace(line), "//"); ok {
				all.WriteString(strings.TrimSpace(text) + " ")
			} else {
				all.WriteString("|")
			}
		}
	}
	return all.String()
}

// What a schema says of the values of a member stands in the comment of its field, unless the description says so.
func TestFacts(t *testing.T) {
	for doc, want := range map[string]string{
		"Some text. @minimum 1 @maximum 5":                   "|Some text. From 1 to 5. |",
		"@minimum 1":                                         "|At least 1. |",
		"@maximum 5":                                         "|At most 5. |",
		"@maxItems 5":                                        "|At most 5 items. |",
		"@format uri":                                        "|A URI. |",
		"Its place. @format uri":                             "|Its place. A URI. |",
		"The URL. @format uri":                               "|The URL. |",
		"Made from a template. @format uri":                  "|Made from a template. A URI. |",
		"@format uri-template":                               "|A URI template (RFC 6570). |",
		"The template. @format uri-template":                 "|The template. |",
		"The URI. @format uri-template":                      "|The URI. A URI template (RFC 6570). |",
		"@format byte":                                       "|Base64. |",
		"In base64. @format byte":                            "|In base64. |",
		"Behind the URL. @format byte":                       "|Behind the URL. Base64. |",
		"Of a template. @format byte":                        "|Of a template. Base64. |",
		"@format email":                                      "|Its format is email. |",
		"A URL, a template, in base64. @format date":         "|A URL, a template, in base64. Its format is date. |",
		"A base64 URL. @format uri-template":                 "|A base64 URL. A URI template (RFC 6570). |",
		"Nothing.":                                           "|Nothing. |",
		"Text in base64, from a template. @format uri":       "|Text in base64, from a template. A URI. |",
		"Text in base64, with a URL. @format email":          "|Text in base64, with a URL. Its format is email. |",
		"Text of a template, with a URL. @format email":      "|Text of a template, with a URL. Its format is email. |",
		"Text of a template, with a URI. @format byte":       "|Text of a template, with a URI. Base64. |",
		"Text of a template, in base64. @format email":       "|Text of a template, in base64. Its format is email. |",
		"Text of base64 data in a template. @format unknown": "|Text of base64 data in a template. Its format is unknown. |",
	} {
		typ := "string"
		if strings.Contains(doc, "maxItems") {
			typ = "string[]"
		}
		got := comments(t, [2]string{"2001-01-01", "export interface T {\n/** " + strings.ReplaceAll(doc, " @", "\n * @") + " */\nmember: " + typ + "\n}"})
		if !strings.Contains(got, want) {
			t.Errorf("%s: want %q in\n%s", doc, want, got)
		}
	}
}

// What differs by revision stands in the comments.
func TestFactsOfRevisions(t *testing.T) {
	schemas := [][2]string{
		{"2001-01-01", "export interface T { a: string }\nexport interface U { a: string; t: T }"},
		{"2002-02-02", "export interface T { a: string; b?: string }\nexport interface V { a: string }\n/** Some text. */\nexport interface W { a: string }\nexport type N = string; export type Late = \"a\" | \"b\";"},
		{"2003-03-03", "export interface T { a: string; b: string; c: string }\nexport interface V { a: string }\n/** Some text. */\nexport interface W { a: string }\nexport type N = string; export type Late = \"a\" | \"b\";"},
	}
	got := comments(t, schemas...)
	for _, want := range []string{
		"|Only since 2002-02-02; required since 2003-03-03. |", "|Only since 2003-03-03, and required there. |",
		"|U exists only through 2001-01-01. |", "|V exists only since 2002-02-02. |", "|W is some text.  It exists only since 2002-02-02. |",
		"|Late: Values that are not listed here are kept as they are.  It exists only since 2002-02-02. |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
}

func TestArticle(t *testing.T) {
	for name, want := range map[string]string{
		"Tool": "a Tool", "Annotation": "an Annotation", "EmptyResult": "an EmptyResult", "InitializeResult": "an InitializeResult",
		"Object": "an Object", "Update": "an Update", "URL": "a URL", "U": "a U", "Us": "an Us", "UI": "a UI", "USb": "a USb",
	} {
		if got := article(name); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A name in a comment of the schema is that of something in Go, or plain text.
func TestLink(t *testing.T) {
	g := newGenerator(merged(t, [2]string{"2001-01-01", `
		export interface T { text: string; kind: "t" }
		export type Color = "red" | "blue";
		export interface A { a: string }
		export interface DoRequest { method: "do"; params: A }
		export type ClientRequest = DoRequest;
		export interface Result { _meta?: { [key: string]: unknown } }
		export type EmptyResult = Result;`}), Options{Package: "p"})
	for name, want := range map[string]string{
		"T": "T", "T.text": "T.Text", "T.kind": "T", "T.other": "T", "Color": "Color", "Color.red": "Color", "Unknown": "", "Unknown.text": "", "DoRequest": "",
	} {
		if got := g.link(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// Which constants of a schema are error codes: all integers of 64 bits.
func TestCodes(t *testing.T) {
	files, err := Generate(merged(t, [2]string{"2001-01-01", `export const SMALL = -32099; export const LARGE = 9223372036854775807; export const NINE = 9;
		export const BEYOND = 9223372036854775808; export const HALF = 0.5; export const WORD = "1"; export interface T { a: string }`}), Options{Package: "p"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"CodeSmall": true, "CodeLarge": true, "CodeNine": true, "CodeBeyond": false, "CodeHalf": false, "CodeWord": false} {
		if got := strings.Contains(string(files["errors.go"]), name); got != want {
			t.Errorf("%s: got %t, want %t", name, got, want)
		}
	}
}
