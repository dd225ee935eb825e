package initd

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// stranger is a script that isn't a supervisor's.
func stranger(p *fakePeer) { _, _ = io.WriteString(p, "HTTP/1.1 400 Bad Request\r\n\r\n") }

// mute is a script of a peer that doesn't speak the protocol.
func mute(p *fakePeer) { p.reply("hello", object{"protocol": 1}) }

// A keeper survives the loss of a connection: a worker, a subscription or a hold.
type keeper struct {
	name string
	// begin starts the keeper, and returns when it has begun, or can't begin.
	begin func(*testing.T, *Options) error
	// play plays one connection of the supervisor until it has begun.
	play func(*fakePeer)
}

var keepers = []keeper{
	{
		"worker",
		func(t *testing.T, options *Options) error {
			registered := make(chan struct{}, 10)
			w := worker(options)
			w.Handle(Initializer{Name: "a"}, nothing)
			w.options.OnRegister = func() { registered <- struct{}{} }
			_, result := running(t, w)
			select {
			case <-registered:
				return nil
			case err := <-result:
				return err
			case <-time.After(deadline):
				return errors.New("nothing came in time")
			}
		},
		func(p *fakePeer) { p.begin() },
	},
	{
		"subscription",
		func(t *testing.T, options *Options) error {
			_, err := client(t, options).Subscribe(within(t))
			return err
		},
		func(p *fakePeer) { p.greet(); p.reply("subscribe", object{"snapshot": object{"seq": 1}}) },
	},
	{
		"hold",
		func(t *testing.T, options *Options) error {
			_, err := client(t, options).Hold(within(t))
			return err
		},
		func(p *fakePeer) { p.greet(); p.reply("activate", object{"pass": 1}) },
	},
}

// stay plays the supervisor until the other side leaves.
func stay(p *fakePeer) {
	if m := p.receive(); m != nil {
		p.send(object{"id": m["id"], "result": object{}})
		p.expectEnd()
	}
}

func TestALostConnectionIsReplacedWithoutALimit(t *testing.T) {
	for _, each := range keepers {
		t.Run(each.name, func(t *testing.T) {
			again := make(chan struct{})
			options := fake(t,
				each.play,
				func(p *fakePeer) {}, // The only attempt, if the limit counted.
				func(p *fakePeer) { each.play(p); close(again); stay(p) },
			)
			options.ConnectTimeout = OneAttempt
			if err := each.begin(t, options); err != nil {
				t.Fatal(err)
			}
			soon(t, again)
		})
	}
}

func TestAfterALossAPeerThatIsNotInitdIsToldOnceAndTriedAgain(t *testing.T) {
	for _, each := range keepers {
		t.Run(each.name, func(t *testing.T) {
			again := make(chan struct{})
			options := offline(t)
			told := heard(options)
			listen(t, options,
				each.play, stranger, stranger, mute,
				func(p *fakePeer) { each.play(p); close(again); stay(p) },
			)
			if err := each.begin(t, options); err != nil {
				t.Fatal(err)
			}
			soon(t, again)
			count := 0
			for len(told) > 0 {
				if line := <-told; strings.Contains(line, "not initd") && strings.Contains(line, options.Path) {
					count++
				}
			}
			if count != 1 {
				t.Errorf("it says so %d times", count)
			}
		})
	}
}

func TestAPeerThatIsNotInitdIsAnErrorOfTheFirstConnection(t *testing.T) {
	for _, each := range keepers {
		t.Run(each.name, func(t *testing.T) {
			if err := each.begin(t, fake(t, stranger)); !errors.Is(err, ErrNotInitd) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

// limited is a script that refuses the first request, with this limit.
func limited(limit string) func(*fakePeer) {
	return func(p *fakePeer) {
		p.greet()
		m := p.receive()
		p.send(object{"id": m["id"], "error": object{"code": -32007, "message": "too many", "data": object{"code": "limitExceeded", "limit": limit}}})
	}
}

func TestOnlyTheLimitOfConnectionsPasses(t *testing.T) {
	full := func(p *fakePeer) {
		p.expect("hello")
		p.send(object{"id": nil, "error": object{"code": -32007, "message": "too many", "data": object{"code": "limitExceeded", "limit": "connections"}}})
	}
	for _, each := range keepers {
		t.Run(each.name, func(t *testing.T) {
			begun := make(chan struct{})
			options := fake(t, full, limited("connections"), func(p *fakePeer) { each.play(p); close(begun); stay(p) })
			if err := each.begin(t, options); err != nil {
				t.Error(err)
			}
			soon(t, begun)
			var refused *Error
			if err := each.begin(t, fake(t, limited("initializers"))); !errors.As(err, &refused) || refused.Limit() != "initializers" {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestAnotherLimitEndsAWorkerAlsoAfterALoss(t *testing.T) {
	w := worker(fake(t, func(p *fakePeer) { p.begin() }, limited("initializers")))
	w.Handle(Initializer{Name: "a"}, nothing)
	if err := w.Run(within(t)); !errors.Is(err, ErrLimitExceeded) {
		t.Errorf("the error is %v", err)
	}
}

func TestTheDelaysBeginAnewWithALossAndThenDouble(t *testing.T) {
	t.Parallel()
	const first = 200 * time.Millisecond
	var moments []time.Time
	now := func() { moments = append(moments, time.Now()) }
	again := make(chan struct{})
	options := fake(t,
		func(p *fakePeer) { p.begin(); now() },
		func(p *fakePeer) { now() },
		func(p *fakePeer) { now(); p.begin(); close(again); stay(p) },
	)
	options.backoff = backoff{first: first, most: time.Hour}
	w := worker(options)
	w.Handle(Initializer{Name: "a"}, nothing)
	running(t, w)
	soon(t, again)
	for i, least := range []time.Duration{first / 2, first} { // The jitter may shorten a delay to half.
		if took := moments[i+1].Sub(moments[i]); took < least {
			t.Errorf("attempt %d came after %v, want at least %v", i+1, took, least)
		}
	}
}
