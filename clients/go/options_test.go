package initd

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestTheSocketsPath(t *testing.T) {
	for _, test := range []struct {
		name, given string
		environment map[string]string
		uid         int
		want        string
	}{
		{"given", "/a", map[string]string{"INITD_SOCKET": "/b", "XDG_RUNTIME_DIR": "/c"}, 0, "/a"},
		{"INITD_SOCKET", "", map[string]string{"INITD_SOCKET": "/b", "XDG_RUNTIME_DIR": "/c"}, 0, "/b"},
		{"XDG_RUNTIME_DIR", "", map[string]string{"INITD_SOCKET": "", "XDG_RUNTIME_DIR": "/c"}, 0, "/c/initd.sock"},
		{"root", "", map[string]string{"XDG_RUNTIME_DIR": ""}, 0, "/run/initd.sock"},
		{"no abstract socket", "@a", nil, 1, "./@a"},
		{"the longest", strings.Repeat("a", longestPath), nil, 1, strings.Repeat("a", longestPath)},
		{"too long", strings.Repeat("a", longestPath+1), nil, 1, ""},
		{"not UTF-8", "/\xff", nil, 1, ""},
		{"nothing", "", nil, 1, ""},
	} {
		got, err := socketPath(test.given, func(name string) string { return test.environment[name] }, test.uid)
		if got != test.want || (err == nil) != (test.want != "") || err != nil && !errors.Is(err, ErrNoSupervisor) {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

func TestDelaysDoubleUpToTheMost(t *testing.T) {
	b := backoff{first: firstDelay, most: mostDelay}
	last := time.Duration(0)
	for i := 0; i < 10; i++ {
		delay := b.step()
		if delay < last || delay > time.Second {
			t.Errorf("delay %d is %v after %v", i, delay, last)
		}
		if jitter := jittered(delay); jitter < delay/2 || jitter > delay {
			t.Errorf("%v was made %v", delay, jitter)
		}
		last = delay
	}
	if last != mostDelay {
		t.Errorf("the last delay is %v, want %v", last, mostDelay)
	}
}
