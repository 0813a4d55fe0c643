package prometheus

import (
	"io"
	"log"
)

// nobody reads what net/http says of clients that break off.
var nobody = log.New(io.Discard, "", 0)
