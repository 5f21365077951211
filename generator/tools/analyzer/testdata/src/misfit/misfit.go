package misfit

//mcp:tool
func Forecast(city string, days int) string { return city } // want `mcp_gen.go is stale, and does not fit this function: run go generate`

type Station struct{}

//mcp:tool
func (*Station) Wind(city string) (string, error) { return city, nil } // want `mcp_gen.go is stale, and does not fit this function: run go generate`

//mcp:tool
func Rain(city string) string { return city }

func own() int { return Rain("Oslo").Gone }
