module github.com/mcpgen/mcpgen/site

go 1.26.0

require (
	github.com/mcpgen/mcpgen v1.0.0-rc.1
	github.com/yuin/goldmark v1.8.7
)

replace github.com/mcpgen/mcpgen => ..
