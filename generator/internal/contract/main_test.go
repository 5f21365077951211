package contract_test

import (
	"flag"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

var update = flag.Bool("update", false, "rewrite the files in testdata")
