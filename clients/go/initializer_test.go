package initd

import (
	"math"
	"strings"
	"testing"
	"time"
)

// refusal is the value of the panic with which the worker refuses a declaration, or nil.
func refusal(w *Worker, initializer Initializer, handler Handler) (value any) {
	defer func() { value = recover() }()
	w.Handle(initializer, handler)
	return nil
}

func TestWrongDeclarationsPanicAndSayWhy(t *testing.T) {
	long := strings.Repeat("a", 129)
	for _, test := range []struct {
		initializer Initializer
		want        string
	}{
		{Initializer{}, `"": a name has 1 to 128 ASCII letters, digits, or one of ._:/@+-, and begins with a letter or digit`},
		{Initializer{Name: "a b"}, `"a b": ` + nameRule},
		{Initializer{Name: "a\n"}, `"a\n": ` + nameRule},
		{Initializer{Name: "é"}, `"é": ` + nameRule},
		{Initializer{Name: "-a"}, `"-a": ` + nameRule},
		{Initializer{Name: long}, `"` + long + `": ` + nameRule},
		{Initializer{Name: "b", Dependencies: []string{"a", "c d"}}, `"b": its dependency "c d" is no name: ` + nameRule},
		{Initializer{Name: "b", Priority: "appActiv"}, `"b": its priority is "appActiv"; use AppLaunch or AppActive`},
		{Initializer{Name: "b", Timeout: -time.Second}, `"b": its Timeout is -1s; use a positive one, or 0 for no limit`},
		{Initializer{Name: "b", Retry: Retry{Attempts: -1}}, `"b": its Retry.Attempts is -1; use a positive number, which includes the first attempt`},
		{Initializer{Name: "b", Retry: Retry{Delay: -1}}, `"b": its Retry.Delay is -1ns; use a positive one`},
		{Initializer{Name: "b", Retry: Retry{Factor: 0.5}}, `"b": its Retry.Factor is 0.5; use a number from 1`},
		{Initializer{Name: "b", Retry: Retry{Factor: math.NaN()}}, `"b": its Retry.Factor is NaN; use a number from 1`},
		{Initializer{Name: "b", Retry: Retry{Factor: math.Inf(1)}}, `"b": its Retry.Factor is +Inf; use a number from 1`},
		{Initializer{Name: "b", Retry: Retry{MaxDelay: -1}}, `"b": its Retry.MaxDelay is -1ns; use a positive one`},
		{Initializer{Name: "a"}, `"a": it is already declared; choose another name`},
	} {
		w := worker(offline(t))
		w.Handle(Initializer{Name: "a"}, nothing)
		if got := refusal(w, test.initializer, nothing); got != "initd: cannot declare "+test.want {
			t.Errorf("%+v: %v, want %s", test.initializer, got, test.want)
		}
		if len(w.declarations) != 1 || len(w.handlers) != 1 {
			t.Errorf("%+v was declared", test.initializer)
		}
	}
	if got := refusal(worker(offline(t)), Initializer{Name: "a"}, nil); got != `initd: cannot declare "a": it has no handler` {
		t.Errorf("no handler: %v", got)
	}
}

func TestEveryDeclarationThatTheProtocolAcceptsIsAccepted(t *testing.T) {
	for _, initializer := range []Initializer{
		{Name: "Az09._:/@+-", Dependencies: []string{"0", "a/b"}},
		{Name: strings.Repeat("a", 128), Priority: AppLaunch, Dependencies: []string{}},
		{Name: "a", Priority: AppActive, Timeout: 1, Retry: Retry{Attempts: 1, Delay: 1, Factor: 1, MaxDelay: 1}},
	} {
		if got := refusal(worker(offline(t)), initializer, nothing); got != nil {
			t.Errorf("%+v: %v", initializer, got)
		}
	}
}

func TestADeclarationAfterTheStartPanicsAndAWorkerRunsOnce(t *testing.T) {
	w := worker(offline(t))
	w.Handle(Initializer{Name: "a"}, nothing)
	if err := w.Run(canceled()); err != nil {
		t.Errorf("Run with a context that is done = %v", err)
	}
	if err := w.Run(canceled()); err == nil {
		t.Error("a worker ran twice")
	}
	if got := refusal(w, Initializer{Name: "b"}, nothing); got != `initd: cannot declare "b": the worker has been started; declare it before Run` {
		t.Errorf("too late: %v", got)
	}
}
