package handlers

import "net/http"

// kind is a kind of problem: a row of the table of problems in docs/api.md, and what its page tells people.
type kind struct {
	Slug   string
	Status int
	Title  string
	Means  string // what happened
	Advice string // what a client does about it
}

var (
	invalidRequest = &kind{"invalid-request", http.StatusBadRequest, "Invalid request",
		"The request cannot be understood: its product id is not one, or it has a body where none belongs.",
		"Do not repeat it as it is. A product id has 1 to 64 characters of A-Z a-z 0-9 . _ ~ - and is neither . nor .. ."}
	productNotFound = &kind{"product-not-found", http.StatusNotFound, "Product not found",
		"There is no such product, or none with a price where a price was asked for.",
		"Treat the product as gone. Repeating the request does not help."}
	notFound = &kind{"not-found", http.StatusNotFound, "Not found",
		"There is no resource under this path.",
		"Check the address: products are at /products/{id}, offers at /products/{id}/offer."}
	methodNotAllowed = &kind{"method-not-allowed", http.StatusMethodNotAllowed, "Method not allowed",
		"The resource exists, but not for this method.",
		"Use one of the methods that the Allow header lists."}
	notAcceptable = &kind{"not-acceptable", http.StatusNotAcceptable, "Not acceptable",
		"The resource is available as application/json alone, and the Accept header rules that out.",
		"Accept application/json, or send no Accept header."}
	rateLimited = &kind{"rate-limited", http.StatusTooManyRequests, "Rate limited",
		"This client has asked more often than it may.",
		"Wait for as long as Retry-After says. RateLimit-Reset tells when the whole allowance is back."}
	dependencyUnavailable = &kind{"dependency-unavailable", http.StatusServiceUnavailable, "Dependency unavailable",
		"Something without which there is no answer could not be had; the dependencies member says what and why.",
		"Ask again after Retry-After, which knows when asking makes sense."}
	overloaded = &kind{"overloaded", http.StatusServiceUnavailable, "Overloaded",
		"The request was refused before any work, because there is more to do than can be done in time.",
		"Ask again after Retry-After, once; do not retry at once."}
	deadlineExhausted = &kind{"deadline-exhausted", http.StatusServiceUnavailable, "Deadline exhausted",
		"The time that the request allowed was spent, or too little of it was left.",
		"Allow more time. A device whose clock may be wrong sends X-Request-Timeout-Ms, not X-Request-Deadline."}
	shuttingDown = &kind{"shutting-down", http.StatusServiceUnavailable, "Shutting down",
		"This instance is going away and takes no new requests.",
		"Ask again after Retry-After, over a new connection: another instance will answer."}
	internal = &kind{"internal", http.StatusInternalServerError, "Internal error",
		"Something broke on our side.",
		"Tell us the requestId. The same request may work later."}
)

// kinds lists them all, in the order of docs/api.md.
var kinds = []*kind{
	invalidRequest, productNotFound, notFound, methodNotAllowed, notAcceptable, rateLimited,
	dependencyUnavailable, overloaded, deadlineExhausted, shuttingDown, internal,
}
