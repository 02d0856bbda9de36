// Command missing_need must not compile: a part that must be answered cannot be missing.
package main

import "example.com/bff/internal/page"

func main() {
	_ = page.Page{Stock: page.Missing[page.Availability](page.Timeout)}
}
