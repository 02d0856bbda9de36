package world_test

import (
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"example.com/bff/internal/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAHealthyPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := world.Start(t)
		a := w.Get("/products/p-1001")
		if a.Status != 200 || a.Degraded || !a.Purchasable {
			t.Errorf("%d %s %v", a.Status, a.Body, a.Err)
		}
		t.Logf("%v\n%v\n%s", a.Took, a.Header, a.Body)
	})
}
