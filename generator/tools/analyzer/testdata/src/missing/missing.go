package missing // want `mcp_gen.go is missing: run go generate`

//mcp:tool
func Forecast(city string) string { return city }
