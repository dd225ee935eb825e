package initd

import (
	"errors"
	"os"
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
		t.Run(test.name, func(t *testing.T) {
			got, err := socketPath(test.given, func(name string) string { return test.environment[name] }, test.uid)
			if got != test.want || (err == nil) != (test.want != "") || err != nil && !errors.Is(err, ErrNoSupervisor) {
				t.Errorf("got %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestTheDefaultNameIsThatOfTheProgram(t *testing.T) {
	arguments := os.Args
	defer func() { os.Args = arguments }()
	for _, test := range []struct {
		name      string
		arguments []string
		given     string
		want      string
	}{
		{"a path", []string{"/usr/local/bin/shelf-worker", "--verbose"}, "", "shelf-worker"},
		{"a name", []string{"shelf-worker"}, "", "shelf-worker"},
		{"empty", []string{""}, "", "go"},
		{"nothing", nil, "", "go"},
		{"given", []string{"shelf-worker"}, "shop", "shop"},
	} {
		t.Run(test.name, func(t *testing.T) {
			os.Args = test.arguments
			options := Options{Name: test.given}
			if got := options.complete(Forever).Name; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestDelaysDoubleUpToTheMost(t *testing.T) {
	b := (*Options)(nil).complete(Forever).backoff
	for i, want := range []time.Duration{50, 100, 200, 400, 800, 1000, 1000} {
		want *= time.Millisecond
		t.Run(want.String(), func(t *testing.T) {
			delay := b.step()
			if delay != want {
				t.Errorf("delay %d is %v, want %v", i, delay, want)
			}
			if jitter := jittered(delay); jitter < delay/2 || jitter > delay {
				t.Errorf("%v was made %v", delay, jitter)
			}
		})
	}
}
