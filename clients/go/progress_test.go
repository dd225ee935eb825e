package initd

import (
	"context"
	"math"
	"reflect"
	"testing"
	"time"
)

func TestProgressIsReported(t *testing.T) {
	play(t, func(p *fakePeer) {
		p.run(3, "a", nil)
		for _, want := range []object{
			{"run": 3.0, "fraction": 0.5, "message": "half"},
			{"run": 3.0, "fraction": 1.0},
			{"run": 3.0, "fraction": 0.0},
			{"run": 3.0, "fraction": 1.0},
			{"run": 3.0, "fraction": 0.0},
			{"run": 3.0, "message": "only"},
			{"run": 3.0, "extend": 30.0},
		} {
			got, _ := p.expect("progress")
			require(reflect.DeepEqual(got, want), "got %v, want %v", got, want)
		}
		p.expectResult(3, object{})
	}, func(_ context.Context, run *Run) (any, error) {
		run.Progress(0.5, "half")
		run.Progress(7, "")
		run.Progress(-1, "")
		run.Progress(math.Inf(1), "")
		run.Progress(math.Inf(-1), "")
		run.Message("only")
		run.Extend(30 * time.Second)
		return nil, nil
	})
}

func TestWrongProgressIsIgnoredAndToldOnceForARun(t *testing.T) {
	options := offline(t)
	told := heard(options)
	listen(t, options, func(p *fakePeer) {
		p.begin()
		for run := 1; run <= 2; run++ {
			p.run(run, "a", nil)
			got, _ := p.expect("progress")
			require(reflect.DeepEqual(got, object{"run": float64(run), "message": "still told"}), "got %v", got)
			p.expectResult(run, object{})
		}
		p.reply("unregister", object{})
		p.expectEnd()
	})
	w := worker(options)
	answered := make(chan error, 2)
	w.options.OnAnswer = func(_ *Run, err error) { answered <- err }
	w.Handle(Initializer{Name: "a"}, func(_ context.Context, run *Run) (any, error) {
		for i := 0; i < 3; i++ {
			run.Progress(math.NaN(), "")
			run.Extend(0)
			run.Extend(-time.Second)
		}
		run.Progress(math.NaN(), "still told")
		return nil, nil
	})
	stop, result := running(t, w)
	for i := 0; i < 2; i++ {
		if err := soon(t, answered); err != nil {
			t.Errorf("the run failed: %v", err)
		}
	}
	stop()
	if err := soon(t, result); err != nil {
		t.Errorf("Run = %v", err)
	}
	for _, want := range []string{
		"run 1 of a reported the fraction NaN, which is ignored: report a number from 0 to 1\n",
		"run 1 of a asked for an extension of 0s, which is ignored: ask for a positive time\n",
		"run 2 of a reported the fraction NaN, which is ignored: report a number from 0 to 1\n",
		"run 2 of a asked for an extension of 0s, which is ignored: ask for a positive time\n",
	} {
		if line := soon(t, told); line != want {
			t.Errorf("told %q, want %q", line, want)
		}
	}
	if len(told) > 0 {
		t.Errorf("told also %q", <-told)
	}
}
