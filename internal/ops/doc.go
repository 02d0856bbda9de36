// Package ops is the page for people on the admin listener: what this instance does now and did of late, live.
//
// It promises that whoever reports to it never waits for who looks: a report costs a short lock and a few counters.
// Its memory is fixed when it is made, some two megabytes at any rate of pages: the last hundred of the degraded, the
// failed, the slow and the refused in a ring each, a sample of the rest in another, five minutes of counts. A browser that cannot keep up is dropped. The page is
// one document that asks nobody but this instance, and changes nothing.
package ops
