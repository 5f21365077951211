package mistakes

// want +2 `there is no readnly; did you mean readonly\?`

//mcp:tool readnly
func Flag(city string) string { return city }

// want +3 `Parameter has no parameter cty; did you mean city\?`

//mcp:tool
//mcp:param cty minlen=1
func Parameter(city string) string { return city }

// want +3 `there is no minlenn; did you mean minlen\?`

//mcp:tool
//mcp:param city minlenn=1
func Key(city string) string { return city }

// want +2 `there is no such directive; did you mean tool\?`

//mcp:tol
func Name(city string) string { return city }

// want +2 `this is a comment, not a directive; did you mean //mcp:tool\?`

// mcp:tool
func Blank(city string) string { return city }

//mcp:tool
func Type(c chan int) string { return "" } // want `chan`
