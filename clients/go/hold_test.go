package initd

import (
	"errors"
	"reflect"
	"testing"
)

func expectHold(p *fakePeer, pass int) {
	p.greet()
	params := p.reply("activate", object{"pass": pass, "active": object{"state": "pending", "pass": pass}})
	require(reflect.DeepEqual(params, object{"hold": true}), "activate: %v", params)
}

func TestAHoldIsAScope(t *testing.T) {
	released := make(chan struct{})
	c := client(t, fake(t, func(p *fakePeer) {
		expectHold(p, 3)
		_, id := p.expect("release")
		close(released)
		p.send(object{"id": id, "result": object{}})
		p.expectEnd()
	}))
	hold, err := c.Hold(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if hold.Requested.Pass != 3 {
		t.Errorf("the pass is %d", hold.Requested.Pass)
	}
	for i := 0; i < 2; i++ {
		if err := hold.Release(within(t)); err != nil {
			t.Error(err)
		}
	}
	select {
	case <-released:
	default:
		t.Error("Release returned before the supervisor had confirmed it")
	}
}

func TestAHoldHoldsAgainAfterALoss(t *testing.T) {
	again := make(chan struct{})
	c := client(t, fake(t,
		func(p *fakePeer) { expectHold(p, 3) },
		func(p *fakePeer) {
			expectHold(p, 1)
			close(again)
			if m := p.receive(); m != nil { // If the end comes at once, it releases the hold.
				require(m["method"] == "release", "expected release, got %v", m)
				p.send(object{"id": m["id"], "result": object{}})
				p.expectEnd()
			}
		},
	))
	if _, err := c.Hold(within(t)); err != nil {
		t.Fatal(err)
	}
	soon(t, again)
	c.Close()
}

func TestARefusedHoldIsAnError(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		p.greet()
		p.refuse("activate", -32005, "permission denied", object{"code": "notPermitted"})
	}))
	if _, err := c.Hold(within(t)); !errors.Is(err, ErrNotPermitted) {
		t.Errorf("the error is %v", err)
	}
}
