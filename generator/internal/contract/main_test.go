package contract_test

import "flag"

var update = flag.Bool("update", false, "rewrite the files in testdata")
