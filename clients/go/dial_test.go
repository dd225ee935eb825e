package initd

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSomethingElseAtTheSocketIsNamed(t *testing.T) {
	c := client(t, fake(t, func(p *fakePeer) {
		_, _ = io.WriteString(p, "HTTP/1.1 400 Bad Request\r\n\r\n")
	}))
	if err := c.Ping(within(t)); !errors.Is(err, ErrNotInitd) || !strings.Contains(err.Error(), "not initd") {
		t.Errorf("the error is %v", err)
	}
}

func TestASocketOfAnotherUserIsAnErrorAtOnce(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may connect everywhere")
	}
	options := fake(t)
	if err := os.Chmod(filepath.Dir(options.Path), 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(filepath.Dir(options.Path), 0o700)
	if err := client(t, options).Ping(within(t)); !errors.Is(err, os.ErrPermission) {
		t.Errorf("the error is %v", err)
	}
}
