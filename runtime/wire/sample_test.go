package wire_test

import "github.com/mcpgen/mcpgen/runtime/wire"

// The types here are what the generator makes of a part of the protocol, written by hand.

type role string

type annotations struct {
	Audience     []role
	Priority     *float64
	LastModified string
	Extra        wire.Extra
}

var typeAnnotations = wire.Type{Name: "Annotations", Members: []string{"audience", "priority", "lastModified"}}

func (v *annotations) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeAnnotations, v != nil) {
		return
	}
	if v.Audience != nil {
		e.Key("audience")
		wire.PutSlice(e, v.Audience, wire.PutString)
	}
	if v.Priority != nil {
		e.Key("priority")
		e.Float(*v.Priority)
	}
	if v.LastModified != "" && e.Since(20250618) {
		e.Key("lastModified")
		e.String(v.LastModified)
	}
	e.End(&typeAnnotations, v.Extra)
}

func (v *annotations) DecodeWire(d *wire.Decoder) {
	*v = annotations{}
	o := d.Object(&typeAnnotations)
	for o.Next() {
		switch o.Name {
		case "audience":
			o.Once(0)
			if !d.Null() {
				v.Audience = wire.Slice(d, wire.GetString[role])
			}
		case "priority":
			o.Once(1)
			v.Priority = d.FloatOrNull()
		case "lastModified":
			o.Once(2)
			v.LastModified = d.StringOrNull()
		default:
			o.Extra(&v.Extra)
		}
	}
}

type textContent struct {
	Text        string
	Annotations *annotations
	Meta        map[string]wire.Raw
	Extra       wire.Extra
}

var typeTextContent = wire.Type{Name: "TextContent", Members: []string{"type", "text", "annotations", "_meta"}, Required: 2}

func (v *textContent) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeTextContent, v != nil) {
		return
	}
	e.Key("type")
	e.String("text")
	e.Key("text")
	e.String(v.Text)
	if v.Annotations != nil {
		e.Key("annotations")
		v.Annotations.EncodeWire(e)
	}
	if v.Meta != nil && e.Since(20250618) {
		e.Key("_meta")
		e.Raws(v.Meta)
	}
	e.End(&typeTextContent, v.Extra)
}

func (v *textContent) DecodeWire(d *wire.Decoder) {
	*v = textContent{}
	o := d.Object(&typeTextContent)
	for o.Next() {
		switch o.Name {
		case "type":
			o.Once(0)
			d.Literal("text")
		case "text":
			o.Once(1)
			v.Text = d.String()
		case "annotations":
			o.Once(2)
			v.Annotations = wire.Pointer(d, (*annotations).DecodeWire)
		case "_meta":
			o.Once(3)
			if !d.Null() {
				v.Meta = wire.Map(d, (*wire.Raw).DecodeWire)
			}
		default:
			o.Extra(&v.Extra)
		}
	}
}

type imageContent struct {
	Data        string
	MIMEType    string
	Annotations *annotations
	Meta        map[string]wire.Raw
	Extra       wire.Extra
}

var typeImageContent = wire.Type{Name: "ImageContent", Members: []string{"type", "data", "mimeType", "annotations", "_meta"}, Required: 3}

func (v *imageContent) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeImageContent, v != nil) {
		return
	}
	e.Key("type")
	e.String("image")
	e.Key("data")
	e.String(v.Data)
	e.Key("mimeType")
	e.String(v.MIMEType)
	if v.Annotations != nil {
		e.Key("annotations")
		v.Annotations.EncodeWire(e)
	}
	if v.Meta != nil && e.Since(20250618) {
		e.Key("_meta")
		e.Raws(v.Meta)
	}
	e.End(&typeImageContent, v.Extra)
}

func (v *imageContent) DecodeWire(d *wire.Decoder) {
	*v = imageContent{}
	o := d.Object(&typeImageContent)
	for o.Next() {
		switch o.Name {
		case "type":
			o.Once(0)
			d.Literal("image")
		case "data":
			o.Once(1)
			v.Data = d.String()
		case "mimeType":
			o.Once(2)
			v.MIMEType = d.String()
		case "annotations":
			o.Once(3)
			v.Annotations = wire.Pointer(d, (*annotations).DecodeWire)
		case "_meta":
			o.Once(4)
			if !d.Null() {
				v.Meta = wire.Map(d, (*wire.Raw).DecodeWire)
			}
		default:
			o.Extra(&v.Extra)
		}
	}
}

type textResource struct {
	URI      string
	MIMEType string
	Text     string
	Meta     map[string]wire.Raw
	Extra    wire.Extra
}

var typeTextResource = wire.Type{Name: "TextResourceContents", Members: []string{"uri", "text", "mimeType", "_meta"}, Required: 2}

func (v *textResource) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeTextResource, v != nil) {
		return
	}
	e.Key("uri")
	e.String(v.URI)
	if v.MIMEType != "" {
		e.Key("mimeType")
		e.String(v.MIMEType)
	}
	e.Key("text")
	e.String(v.Text)
	if v.Meta != nil && e.Since(20250618) {
		e.Key("_meta")
		e.Raws(v.Meta)
	}
	e.End(&typeTextResource, v.Extra)
}

func (v *textResource) DecodeWire(d *wire.Decoder) {
	*v = textResource{}
	o := d.Object(&typeTextResource)
	for o.Next() {
		switch o.Name {
		case "uri":
			o.Once(0)
			v.URI = d.String()
		case "text":
			o.Once(1)
			v.Text = d.String()
		case "mimeType":
			o.Once(2)
			v.MIMEType = d.StringOrNull()
		case "_meta":
			o.Once(3)
			if !d.Null() {
				v.Meta = wire.Map(d, (*wire.Raw).DecodeWire)
			}
		default:
			o.Extra(&v.Extra)
		}
	}
}

type blobResource struct {
	URI      string
	MIMEType string
	Blob     string
	Extra    wire.Extra
}

var typeBlobResource = wire.Type{Name: "BlobResourceContents", Members: []string{"uri", "blob", "mimeType"}, Required: 2}

func (v *blobResource) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeBlobResource, v != nil) {
		return
	}
	e.Key("uri")
	e.String(v.URI)
	if v.MIMEType != "" {
		e.Key("mimeType")
		e.String(v.MIMEType)
	}
	e.Key("blob")
	e.String(v.Blob)
	e.End(&typeBlobResource, v.Extra)
}

func (v *blobResource) DecodeWire(d *wire.Decoder) {
	*v = blobResource{}
	o := d.Object(&typeBlobResource)
	for o.Next() {
		switch o.Name {
		case "uri":
			o.Once(0)
			v.URI = d.String()
		case "blob":
			o.Once(1)
			v.Blob = d.String()
		case "mimeType":
			o.Once(2)
			v.MIMEType = d.StringOrNull()
		default:
			o.Extra(&v.Extra)
		}
	}
}

type resourceContents interface {
	wire.Encodable
	isResourceContents()
}

func (*textResource) isResourceContents()            {}
func (*blobResource) isResourceContents()            {}
func (*unknownResourceContents) isResourceContents() {}

type unknownResourceContents struct{ Raw wire.Raw }

func (v *unknownResourceContents) EncodeWire(e *wire.Encoder) {
	if e.Present("unknownResourceContents", v != nil) {
		e.Raw(v.Raw)
	}
}

func decodeResourceContents(v *resourceContents, d *wire.Decoder) {
	switch {
	case d.PeekKey("text"):
		x := new(textResource)
		x.DecodeWire(d)
		*v = x
	case d.PeekKey("blob"):
		x := new(blobResource)
		x.DecodeWire(d)
		*v = x
	default:
		*v = &unknownResourceContents{Raw: d.Raw()}
	}
}

func encodeResourceContents(v *resourceContents, e *wire.Encoder) {
	if e.Present("ResourceContents", *v != nil) {
		(*v).EncodeWire(e)
	}
}

type embeddedResource struct {
	Resource    resourceContents
	Annotations *annotations
	Meta        map[string]wire.Raw
	Extra       wire.Extra
}

var typeEmbeddedResource = wire.Type{Name: "EmbeddedResource", Members: []string{"type", "resource", "annotations", "_meta"}, Required: 2}

func (v *embeddedResource) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeEmbeddedResource, v != nil) {
		return
	}
	e.Key("type")
	e.String("resource")
	e.Key("resource")
	encodeResourceContents(&v.Resource, e)
	if v.Annotations != nil {
		e.Key("annotations")
		v.Annotations.EncodeWire(e)
	}
	if v.Meta != nil && e.Since(20250618) {
		e.Key("_meta")
		e.Raws(v.Meta)
	}
	e.End(&typeEmbeddedResource, v.Extra)
}

func (v *embeddedResource) DecodeWire(d *wire.Decoder) {
	*v = embeddedResource{}
	o := d.Object(&typeEmbeddedResource)
	for o.Next() {
		switch o.Name {
		case "type":
			o.Once(0)
			d.Literal("resource")
		case "resource":
			o.Once(1)
			decodeResourceContents(&v.Resource, d)
		case "annotations":
			o.Once(2)
			v.Annotations = wire.Pointer(d, (*annotations).DecodeWire)
		case "_meta":
			o.Once(3)
			if !d.Null() {
				v.Meta = wire.Map(d, (*wire.Raw).DecodeWire)
			}
		default:
			o.Extra(&v.Extra)
		}
	}
}

type contentBlock interface {
	wire.Encodable
	isContentBlock()
}

func (*textContent) isContentBlock()         {}
func (*imageContent) isContentBlock()        {}
func (*embeddedResource) isContentBlock()    {}
func (*unknownContentBlock) isContentBlock() {}

type unknownContentBlock struct{ Raw wire.Raw }

func (v *unknownContentBlock) EncodeWire(e *wire.Encoder) {
	if e.Present("unknownContentBlock", v != nil) {
		e.Raw(v.Raw)
	}
}

func decodeContentBlock(v *contentBlock, d *wire.Decoder) {
	s, _ := d.PeekString("type")
	switch s {
	case "text":
		x := new(textContent)
		x.DecodeWire(d)
		*v = x
	case "image":
		x := new(imageContent)
		x.DecodeWire(d)
		*v = x
	case "resource":
		x := new(embeddedResource)
		x.DecodeWire(d)
		*v = x
	default:
		*v = &unknownContentBlock{Raw: d.Raw()}
	}
}

func encodeContentBlock(v *contentBlock, e *wire.Encoder) {
	if e.Present("ContentBlock", *v != nil) {
		(*v).EncodeWire(e)
	}
}

type callToolResult struct {
	Meta              map[string]wire.Raw
	ResultType        string
	Content           []contentBlock
	StructuredContent wire.Raw
	IsError           *bool
	Extra             wire.Extra
}

var typeCallToolResult = wire.Type{Name: "CallToolResult", Members: []string{"content", "_meta", "resultType", "structuredContent", "isError"}, Required: 1}

func (v *callToolResult) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeCallToolResult, v != nil) {
		return
	}
	if v.Meta != nil {
		e.Key("_meta")
		e.Raws(v.Meta)
	}
	if v.ResultType != "" && e.Since(20260728) {
		e.Key("resultType")
		e.String(v.ResultType)
	} else if e.Needs(20260728, 0) {
		e.Key("resultType")
		e.String("complete")
	}
	e.Key("content")
	wire.PutSlice(e, v.Content, encodeContentBlock)
	if v.StructuredContent != nil && e.Since(20250618) {
		e.Key("structuredContent")
		if e.Needs(0, 20260728) {
			e.RawOf(wire.KindObject, v.StructuredContent)
		} else {
			e.Raw(v.StructuredContent)
		}
	}
	if v.IsError != nil {
		e.Key("isError")
		e.Bool(*v.IsError)
	}
	e.End(&typeCallToolResult, v.Extra)
}

func (v *callToolResult) DecodeWire(d *wire.Decoder) {
	*v = callToolResult{}
	o := d.Object(&typeCallToolResult)
	for o.Next() {
		switch o.Name {
		case "content":
			o.Once(0)
			v.Content = wire.Slice(d, decodeContentBlock)
		case "_meta":
			o.Once(1)
			if !d.Null() {
				v.Meta = wire.Map(d, (*wire.Raw).DecodeWire)
			}
		case "resultType":
			o.Once(2)
			v.ResultType = d.StringOrNull()
		case "structuredContent":
			o.Once(3)
			v.StructuredContent = d.Raw()
		case "isError":
			o.Once(4)
			v.IsError = d.BoolOrNull()
		default:
			o.Extra(&v.Extra)
		}
	}
}

type icon struct {
	Src      string
	MIMEType string
	Sizes    []string
	Theme    string
	Extra    wire.Extra
}

var typeIcon = wire.Type{Name: "Icon", Members: []string{"src", "mimeType", "sizes", "theme"}, Required: 1, Revisions: wire.Span{From: 20251125}}

func (v *icon) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeIcon, v != nil) {
		return
	}
	e.Key("src")
	e.String(v.Src)
	if v.MIMEType != "" {
		e.Key("mimeType")
		e.String(v.MIMEType)
	}
	if v.Sizes != nil {
		e.Key("sizes")
		wire.PutSlice(e, v.Sizes, wire.PutString)
	}
	if v.Theme != "" {
		e.Key("theme")
		e.String(v.Theme)
	}
	e.End(&typeIcon, v.Extra)
}

func (v *icon) DecodeWire(d *wire.Decoder) {
	*v = icon{}
	o := d.Object(&typeIcon)
	for o.Next() {
		switch o.Name {
		case "src":
			o.Once(0)
			v.Src = d.String()
		case "mimeType":
			o.Once(1)
			v.MIMEType = d.StringOrNull()
		case "sizes":
			o.Once(2)
			if !d.Null() {
				v.Sizes = wire.Slice(d, wire.GetString[string])
			}
		case "theme":
			o.Once(3)
			v.Theme = d.StringOrNull()
		default:
			o.Extra(&v.Extra)
		}
	}
}

type tool struct {
	Name         string
	Title        string
	Icons        []icon
	Description  string
	InputSchema  wire.Raw
	OutputSchema wire.Raw
	Annotations  *annotations
	Meta         map[string]wire.Raw
	Extra        wire.Extra
}

var typeTool = wire.Type{Name: "Tool", Members: []string{"name", "inputSchema", "title", "icons", "description", "outputSchema", "annotations", "_meta"}, Required: 2}

func (v *tool) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeTool, v != nil) {
		return
	}
	e.Key("name")
	e.String(v.Name)
	if v.Title != "" && e.Since(20250618) {
		e.Key("title")
		e.String(v.Title)
	}
	if v.Icons != nil && e.Since(20251125) {
		e.Key("icons")
		wire.PutSlice(e, v.Icons, (*icon).EncodeWire)
	}
	if v.Description != "" {
		e.Key("description")
		e.String(v.Description)
	}
	e.Key("inputSchema")
	e.RawOf(wire.KindObject, v.InputSchema)
	if v.OutputSchema != nil && e.Since(20250618) {
		e.Key("outputSchema")
		e.RawOf(wire.KindObject, v.OutputSchema)
	}
	if v.Annotations != nil && e.Since(20250326) {
		e.Key("annotations")
		v.Annotations.EncodeWire(e)
	}
	if v.Meta != nil && e.Since(20250618) {
		e.Key("_meta")
		e.Raws(v.Meta)
	}
	e.End(&typeTool, v.Extra)
}

func (v *tool) DecodeWire(d *wire.Decoder) {
	*v = tool{}
	o := d.Object(&typeTool)
	for o.Next() {
		switch o.Name {
		case "name":
			o.Once(0)
			v.Name = d.String()
		case "inputSchema":
			o.Once(1)
			v.InputSchema = d.RawOf(wire.KindObject)
		case "title":
			o.Once(2)
			v.Title = d.StringOrNull()
		case "icons":
			o.Once(3)
			if !d.Null() {
				v.Icons = wire.Slice(d, (*icon).DecodeWire)
			}
		case "description":
			o.Once(4)
			v.Description = d.StringOrNull()
		case "outputSchema":
			o.Once(5)
			if !d.Null() {
				v.OutputSchema = d.RawOf(wire.KindObject)
			}
		case "annotations":
			o.Once(6)
			v.Annotations = wire.Pointer(d, (*annotations).DecodeWire)
		case "_meta":
			o.Once(7)
			if !d.Null() {
				v.Meta = wire.Map(d, (*wire.Raw).DecodeWire)
			}
		default:
			o.Extra(&v.Extra)
		}
	}
}

type listToolsResult struct {
	Tools      []tool
	NextCursor *string
	Meta       map[string]wire.Raw
	Extra      wire.Extra
}

var typeListToolsResult = wire.Type{Name: "ListToolsResult", Members: []string{"tools", "nextCursor", "_meta"}, Required: 1}

func (v *listToolsResult) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeListToolsResult, v != nil) {
		return
	}
	e.Key("tools")
	wire.PutSlice(e, v.Tools, (*tool).EncodeWire)
	if v.NextCursor != nil {
		e.Key("nextCursor")
		e.String(*v.NextCursor)
	}
	if v.Meta != nil {
		e.Key("_meta")
		e.Raws(v.Meta)
	}
	e.End(&typeListToolsResult, v.Extra)
}

func (v *listToolsResult) DecodeWire(d *wire.Decoder) {
	*v = listToolsResult{}
	o := d.Object(&typeListToolsResult)
	for o.Next() {
		switch o.Name {
		case "tools":
			o.Once(0)
			v.Tools = wire.Slice(d, (*tool).DecodeWire)
		case "nextCursor":
			o.Once(1)
			v.NextCursor = wire.Pointer(d, wire.GetString[string])
		case "_meta":
			o.Once(2)
			if !d.Null() {
				v.Meta = wire.Map(d, (*wire.Raw).DecodeWire)
			}
		default:
			o.Extra(&v.Extra)
		}
	}
}
