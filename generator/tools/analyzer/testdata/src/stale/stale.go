package stale

//mcp:tool
func Forecast(city string) string { return city }

func serve() { Register() }
