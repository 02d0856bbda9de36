// Package ops is the page for people on the admin listener: what this instance does now and did of late, live.
//
// It promises that whoever reports to it never waits for who looks: a report costs a short lock and a few counters.
// Its memory is fixed when it is made, at any rate of pages; those that were degraded, failed or slow have rings of
// their own, so that the many that went well never displace them. A browser that cannot keep up is dropped. The page is
// one document that asks nobody but this instance, and changes nothing.
package ops
