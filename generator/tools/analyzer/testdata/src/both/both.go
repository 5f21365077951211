package both

//mcp:tool
func Type(c chan int) string { return "" } // want `chan`
