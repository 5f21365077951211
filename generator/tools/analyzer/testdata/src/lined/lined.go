//line lined_test.go:1
package lined // want `lined_test.go:4: .*chan`

//mcp:tool
func Type(c chan int) string { return "" }
