package console

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/mcpgen/mcpgen/internal/harmless"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Person responds to a server's requests for input, at the terminal. One question is asked at a time.
type Person struct {
	out   *Printer
	in    *os.File
	asks  chan struct{}     // has room for who asks
	wants chan question     // a line
	lines chan answeredLine // unread if the question was cancelled
	late  bool              // there will be such a line
}

// A question is the request for a line.
type question struct {
	text   string
	secret bool // what is typed must not be seen
}

// An answeredLine is what the person has typed, or why there is no more to read.
type answeredLine struct {
	text string
	err  error
}

// NewPerson returns the person who types into a terminal and reads what is written to out; nil if in is not a
// terminal.
func NewPerson(in *os.File, out *Printer) *Person {
	if !term.IsTerminal(int(in.Fd())) {
		return nil
	}
	p := &Person{out: out, in: in, asks: make(chan struct{}, 1), wants: make(chan question), lines: make(chan answeredLine, 1)}
	go p.read() // it cannot be stopped while the terminal is silent, and ends with the program
	return p
}

// Offer sets the handlers for what a server may ask a person.
func (p *Person) Offer(opts *client.Options) {
	opts.Elicit, opts.Sample = elicit.Handler{Form: p.elicit, URL: p.visit}, p.sample
}

// read asks when there is a question, and reads a line.
func (p *Person) read() {
	r := bufio.NewReader(p.in)
	for q := range p.wants {
		var line answeredLine
		if q.secret {
			line.text, line.err = p.readSecret(r, q.text)
		} else {
			p.out.control(q.text)
			line.text, line.err = r.ReadString('\n')
			line.text = strings.TrimRight(line.text, "\r\n")
		}
		p.lines <- line
	}
}

// readSecret reads a line that is not shown. The terminal stops showing input before the question is printed.
func (p *Person) readSecret(r io.Reader, question string) (string, error) {
	fd := int(p.in.Fd())
	state, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	t := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{r, rawWriter{p.out}}, "")
	text, err := t.ReadPassword(question)
	return text, errors.Join(err, term.Restore(fd, state))
}

// rawWriter writes what is meant for the terminal itself.
type rawWriter struct{ *Printer }

func (w rawWriter) Write(text []byte) (int, error) {
	w.control(string(text))
	return len(text), nil
}

// ask asks a question and returns what the person types.
func (p *Person) ask(ctx context.Context, text string, secret bool) (string, error) {
	p.out.EndProgress()
	q := question{harmless.Line(text) + " ", secret}
	if p.late {
		p.out.control(q.text) // the line that is still being read is the answer
	} else {
		p.wants <- q
	}
	p.late = false
	select {
	case line := <-p.lines:
		if errors.Is(line.err, io.EOF) {
			return "", context.Canceled
		}
		return line.text, line.err
	case <-ctx.Done():
		p.late = true
		return "", ctx.Err()
	}
}

// alone waits until no other question is being asked. The caller must call done.
func (p *Person) alone(ctx context.Context) (done func(), err error) {
	select {
	case p.asks <- struct{}{}:
		return func() { <-p.asks }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// elicit has the person fill in a form.
func (p *Person) elicit(ctx context.Context, params *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
	done, err := p.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	p.out.EndProgress()
	p.out.paragraph("", "The server asks: "+params.Message)
	schema := &params.RequestedSchema
	if len(schema.Properties) == 0 {
		return p.consent(ctx)
	}
	switch result, err := p.consent(ctx); {
	case err != nil || result.Action != mcp.ElicitResultActionAccept:
		return result, err
	}
	content := map[string]wire.Raw{}
	wanted := make([]string, 0, len(schema.Properties))
	for _, m := range schema.Properties {
		wanted = append(wanted, m.Name)
	}
	for len(wanted) > 0 {
		for _, m := range schema.Properties {
			if slices.Contains(wanted, m.Name) {
				if err := p.field(ctx, m, slices.Contains(schema.Required, m.Name), content); err != nil {
					return nil, err
				}
			}
		}
		wanted = nil
		var wrong *elicit.FormError
		if errors.As(elicit.Check(schema, content), &wrong) {
			for _, problem := range wrong.Problems {
				p.out.paragraph("  ", problem.Field+": "+problem.Msg)
				wanted = append(wanted, problem.Field)
			}
		}
	}
	return &mcp.ElicitResult{Action: mcp.ElicitResultActionAccept, Content: content}, nil
}

// consent asks whether to answer at all.
func (p *Person) consent(ctx context.Context) (*mcp.ElicitResult, error) {
	for {
		answer, err := p.ask(ctx, "Answer? [yes, no, cancel]", false)
		if err != nil {
			return nil, err
		}
		switch strings.ToLower(answer) {
		case "y", "yes", "":
			return &mcp.ElicitResult{Action: mcp.ElicitResultActionAccept, Content: map[string]wire.Raw{}}, nil
		case "n", "no":
			return elicit.Decline(), nil
		case "c", "cancel":
			return elicit.Cancel(), nil
		}
	}
}

// A formField is the schema of a field, of any kind.
type formField struct {
	Type        string
	Title       string
	Description string
	Format      string
	Default     json.RawMessage
	Enum        []string
	EnumNames   []string
	OneOf       []choice
	Items       struct {
		Enum  []string
		AnyOf []choice
	}
}

type choice struct{ Const, Title string }

// choices returns what can be chosen, if the field is a choice.
func (f *formField) choices() []choice {
	all := slices.Concat(f.OneOf, f.Items.AnyOf)
	for i, value := range slices.Concat(f.Enum, f.Items.Enum) {
		c := choice{Const: value}
		if i < len(f.EnumNames) {
			c.Title = f.EnumNames[i]
		}
		all = append(all, c)
	}
	return all
}

// secret reports whether a field looks as if its value should not be shown.
func (f *formField) secret(name string) bool {
	text := strings.ToLower(name + " " + f.Title + " " + f.Format)
	return f.Type == "string" && slices.ContainsFunc([]string{"password", "passphrase", "secret", "token", "api key", "apikey", "api_key"},
		func(word string) bool { return strings.Contains(text, word) })
}

// field asks for the value of one field. An empty answer means the default, or no value.
func (p *Person) field(ctx context.Context, m wire.Member[mcp.PrimitiveSchemaDefinition], required bool, content map[string]wire.Raw) error {
	raw, err := wire.Marshal(wire.Any, m.Value)
	if err != nil {
		return err
	}
	var f formField
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("the field %s: %w", m.Name, err)
	}
	question := "  " + m.Name
	if f.Title != "" {
		question = "  " + f.Title
	}
	if f.Description != "" {
		p.out.paragraph("  ", f.Description)
	}
	choices := f.choices()
	for i, c := range choices {
		p.out.paragraph("    ", fmt.Sprintf("%d) %s %s", i+1, c.Const, c.Title))
	}
	switch {
	case f.Default != nil:
		question += " [" + string(f.Default) + "]"
	case !required:
		question += " (optional)"
	}
	for {
		text, err := p.ask(ctx, question+":", f.secret(m.Name))
		if err != nil {
			return err
		}
		delete(content, m.Name)
		if text == "" && (f.Default != nil || !required || f.Type != "string") {
			if f.Default != nil {
				content[m.Name] = wire.Raw(f.Default)
				return nil
			}
			if !required {
				return nil
			}
			continue
		}
		if value := f.value(text, choices); value != nil {
			content[m.Name] = value
			return nil
		}
		p.out.paragraph("  ", fmt.Sprintf("%q is not %s", text, f.wants(choices)))
	}
}

// value returns what was typed as a JSON value; nil if the field does not accept it.
func (f *formField) value(text string, choices []choice) wire.Raw {
	switch {
	case f.Type == "array":
		picked := []string{}
		for word := range strings.SplitSeq(text, ",") {
			c, ok := pick(strings.TrimSpace(word), choices)
			if !ok {
				return nil
			}
			picked = append(picked, c)
		}
		return encode(picked)
	case len(choices) > 0:
		if c, ok := pick(text, choices); ok {
			return encode(c)
		}
		return nil
	case f.Type == "boolean":
		switch strings.ToLower(text) {
		case "y", "yes", "true":
			return wire.Raw("true")
		case "n", "no", "false":
			return wire.Raw("false")
		}
		return nil
	case f.Type == "number" || f.Type == "integer":
		if kind := kindOf(json.RawMessage(text)); kind == "integer" || kind == "number" {
			return wire.Raw(text)
		}
		return nil
	}
	return encode(text)
}

func (f *formField) wants(choices []choice) string {
	switch {
	case f.Type == "array":
		return "a list of numbers from above, with commas between them"
	case len(choices) > 0:
		return "one of the choices"
	case f.Type == "boolean":
		return "yes or no"
	}
	return "a number"
}

// pick returns the choice that a person means by its number, its value or its title.
func pick(text string, choices []choice) (string, bool) {
	if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(choices) {
		return choices[n-1].Const, true
	}
	for _, c := range choices {
		if text == c.Const || c.Title != "" && text == c.Title {
			return c.Const, true
		}
	}
	return "", false
}

// encode encodes texts. It cannot fail.
func encode(v any) wire.Raw {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// visit asks the person to visit a URL.
func (p *Person) visit(ctx context.Context, params *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
	done, err := p.alone(ctx)
	if err != nil {
		return "", err
	}
	defer done()
	p.out.EndProgress()
	p.out.paragraph("", "The server asks you to visit a page: "+params.Message)
	fmt.Fprintln(p.out, params.URL)
	result, err := p.consent(ctx)
	if err != nil || result.Action != mcp.ElicitResultActionAccept {
		return mcp.ElicitResultActionDecline, err
	}
	if err := authclient.OpenBrowser(ctx, params.URL); err != nil {
		p.out.paragraph("", "No browser could be opened: visit the page yourself.")
	}
	return mcp.ElicitResultActionAccept, nil
}

// sample has the person answer in a model's place.
func (p *Person) sample(ctx context.Context, params *mcp.CreateMessageRequestParams) (*mcp.CreateMessageResult, error) {
	done, err := p.alone(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	p.out.EndProgress()
	p.out.paragraph("", "The server asks a model; answer in its place.")
	if params.SystemPrompt != "" {
		p.out.paragraph("  ", "system: "+params.SystemPrompt)
	}
	for _, m := range params.Messages {
		for _, block := range m.Content {
			text, ok := block.(*mcp.TextContent)
			if !ok {
				raw, err := wire.Marshal(wire.Any, block)
				if err != nil {
					return nil, err
				}
				text = &mcp.TextContent{Text: string(raw)}
			}
			p.out.paragraph("  ", string(m.Role)+": "+text.Text)
		}
	}
	switch result, err := p.consent(ctx); {
	case err != nil:
		return nil, err
	case result.Action != mcp.ElicitResultActionAccept:
		return nil, client.ErrRejected
	}
	answer, err := p.ask(ctx, "assistant:", false)
	if err != nil {
		return nil, err
	}
	return &mcp.CreateMessageResult{
		Role:       mcp.RoleAssistant,
		Content:    []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: answer}},
		Model:      "person",
		StopReason: mcp.CreateMessageResultStopReasonEndTurn,
	}, nil
}
