package page_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/git-context/git-context/render/page"
)

// Text of memory never becomes markup.
func Example() {
	var b strings.Builder
	f := page.Failure{Frame: page.Frame{Title: "Not found", Project: "pool"}, Message: "no branch '<script>'"}
	if err := page.Write(&b, page.ErrorPage, f); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(b.String(), "no branch &#39;&lt;script&gt;&#39;"))
	// Output: true
}
