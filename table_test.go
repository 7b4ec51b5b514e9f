package ucrypt

import (
	"slices"
	"testing"

	"ucrypt/internal/aes"
	"ucrypt/internal/blake2s"
	"ucrypt/internal/ghash"
	"ucrypt/internal/sm4"
)

// TestTable holds the table to its rules: no driver name twice, and of a driver
// and a template of the same algorithm and priority the driver serves.
func TestTable(t *testing.T) {
	names := map[string]int{}
	for i := range table {
		r := &table[i]
		if j, ok := names[r.driver]; ok {
			t.Errorf("rows %d and %d are both %s", j, i, r.driver)
		}
		names[r.driver] = i
		for j := range table {
			s := &table[j]
			if s.name == r.name && s.priority == r.priority && s.template != r.template && r.before(s) != s.template {
				t.Errorf("%s and %s have the same priority, and the template serves", r.driver, s.driver)
			}
		}
	}
}

// TestHighestPriorityServes asks for every algorithm and expects the usable
// driver of the highest priority.
func TestHighestPriorityServes(t *testing.T) {
	for _, r := range table {
		got, err := Lookup(r.name)
		if err != nil {
			t.Errorf("%s: %v", r.name, err)
			continue
		}
		for _, d := range Drivers() {
			if d.Name == r.name && d.Status == Passed && d.Priority > got.Priority {
				t.Errorf("%s is served by %s (%d) although %s (%d) is usable", r.name, got.DriverName, got.Priority, d.DriverName, d.Priority)
			}
		}
	}
}

// forget makes every driver untested again.
func forget() {
	for i := range states {
		states[i].status, states[i].reason = Untested, ""
	}
}

// TestBrokenDriverIsNotChosen damages one tier after another and expects that
// its drivers fail with the reason, that they cannot be asked for by name, and
// that the next best driver serves and gives right answers.
func TestBrokenDriverIsNotChosen(t *testing.T) {
	for _, tier := range sm4.Tiers() {
		testBrokenTier(t, tier, func() func() { return sm4.SetFault(tier) })
		undo := sm4.SetFault(tier)
		if tier != sm4.Generic && sm4.Best() == tier {
			t.Errorf("tier %s broken: package sm4 still uses it", tier)
		}
		undo()
	}
	for _, tier := range ghash.Tiers() {
		testBrokenTier(t, tier, func() func() { return ghash.SetFault(tier) })
		undo := ghash.SetFault(tier)
		if tier != ghash.Generic && ghash.Best() == tier {
			t.Errorf("tier %s broken: package ghash still uses it", tier)
		}
		undo()
	}
	for _, tier := range aes.Tiers() {
		testBrokenTier(t, tier, func() func() { return aes.SetFault(tier) })
		undo := aes.SetFault(tier)
		if tier != aes.Go && aes.Best() == tier {
			t.Errorf("tier %s broken: package aes still uses it", tier)
		}
		undo()
	}
	for _, tier := range blake2s.Tiers() {
		testBrokenTier(t, tier, func() func() { return blake2s.SetFault(tier) })
		undo := blake2s.SetFault(tier)
		if tier != blake2s.Generic && blake2s.Best() == tier {
			t.Errorf("tier %s broken: package blake2s still uses it", tier)
		}
		undo()
	}
}

func testBrokenTier(t *testing.T, tier tier, damage func() (undo func())) {
	if err := tier.Available(); err != nil {
		t.Logf("%s: %v", tier, err)
		return
	}
	undo := damage()
	forget()
	defer func() {
		undo()
		forget()
	}()
	of := func(driver string) row {
		return table[slices.IndexFunc(table, func(r row) bool { return r.driver == driver })]
	}
	uses := func(r row) bool { return slices.Contains(r.tiers(), tier) }
	usable := func(r row) bool { return !uses(r) && r.available() == nil }
	for _, r := range table {
		d, err := Lookup(r.driver)
		if usable(r) != (err == nil) {
			t.Errorf("tier %s broken: Lookup(%s) = %v", tier, r.driver, err)
		}
		if err == nil && d.Status != Passed {
			t.Errorf("tier %s broken: %s is %s", tier, r.driver, d.Status)
		}
		best, err := Lookup(r.name)
		others := slices.ContainsFunc(table, func(o row) bool { return o.name == r.name && usable(o) })
		if others != (err == nil) {
			t.Errorf("tier %s broken: Lookup(%s) = %v", tier, r.name, err)
		}
		if err == nil && uses(of(best.DriverName)) {
			t.Errorf("tier %s broken: %s still serves %s", tier, best.DriverName, r.name)
		}
	}
	for _, d := range Drivers() {
		if r := of(d.DriverName); uses(r) && r.available() == nil && (d.Status != Failed || d.Reason == "") {
			t.Errorf("tier %s broken: %s is %s, reason %q", tier, d.DriverName, d.Status, d.Reason)
		}
	}
}
