// Package plain mentions mcp:tool in passing.
package plain

func Forecast(city string) string { return city }
