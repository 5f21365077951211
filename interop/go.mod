module github.com/mcpgen/mcpgen/interop

go 1.26.0

replace (
	github.com/mcpgen/mcpgen => ..
	github.com/mcpgen/mcpgen/runtime/auth/as => ../runtime/auth/as
	github.com/mcpgen/mcpgen/runtime/auth/dpop => ../runtime/auth/dpop
)

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/evanw/esbuild v0.28.2
	github.com/go-jose/go-jose/v4 v4.1.8
	github.com/google/go-cmp v0.7.0
	github.com/mcpgen/mcpgen v1.0.0-rc.1
	github.com/mcpgen/mcpgen/runtime/auth/as v1.0.0-rc.1
	github.com/mcpgen/mcpgen/runtime/auth/dpop v1.0.0-rc.1
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/gofrs/flock v0.13.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	github.com/yosida95/uritemplate/v3 v3.0.2 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

ignore ./node_modules
