package main

// Add adds two integers.
//
//mcp:tool readonly
func Add(a, b int) (sum int) { return a + b }
