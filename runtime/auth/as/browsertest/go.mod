module github.com/mcpgen/mcpgen/runtime/auth/as/browsertest

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/mcpgen/mcpgen/runtime/auth/as v1.0.0-rc.1
	golang.org/x/oauth2 v0.37.0
)

require (
	github.com/go-jose/go-jose/v4 v4.1.8 // indirect
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/mcpgen/mcpgen v1.0.0-rc.1 // indirect
	github.com/mcpgen/mcpgen/runtime/auth/dpop v1.0.0-rc.1 // indirect
)

replace (
	github.com/mcpgen/mcpgen => ../../../..
	github.com/mcpgen/mcpgen/runtime/auth/as => ..
	github.com/mcpgen/mcpgen/runtime/auth/dpop => ../../dpop
)
