// Says that it runs and waits until standard input ends.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	fmt.Println("done")
}
