package page

// Dependency names one downstream. The zero value is Catalog; valid values are below NumDependencies.
type Dependency uint8

// The five downstreams, in the order in which a page tells them.
const (
	Catalog Dependency = iota
	Price
	Stock
	Reviews
	Recommendations
	NumDependencies = 5
)

// Dependencies lists all five, in order.
var Dependencies = [NumDependencies]Dependency{Catalog, Price, Stock, Reviews, Recommendations}

var dependencyNames = [NumDependencies]string{"catalog", "price", "stock", "reviews", "recommendations"}

var sectionNames = [NumDependencies]string{"product", "price", "stock", "reviews", "recommendations"}

// String is the downstream's name as configuration, metrics and problems write it.
func (d Dependency) String() string { return dependencyNames[d] }

// Section is the name of the page's member that the downstream fills.
func (d Dependency) Section() string { return sectionNames[d] }

// Critical tells whether a page without this downstream's section is no page.
func (d Dependency) Critical() bool { return d <= Stock }
