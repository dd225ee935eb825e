package initd

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFramesSurviveAnyDivisionIntoReads(t *testing.T) {
	var stream bytes.Buffer
	payloads := []string{"{}", strings.Repeat("x", trustedBytes+1), `{"a":"é"}`}
	for _, payload := range payloads {
		frame, err := encodeFrame([]byte(payload), maxFrame)
		if err != nil {
			t.Fatal(err)
		}
		stream.Write(frame)
	}
	r := bufio.NewReader(iotest.OneByteReader(&stream))
	for _, payload := range payloads {
		got, err := readFrame(r)
		if err != nil || string(got) != payload {
			t.Fatalf("readFrame = %d bytes, %v; want %d bytes", len(got), err, len(payload))
		}
	}
	if _, err := readFrame(r); err != io.EOF {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}

func TestFramesUpTo16MiBAreRead(t *testing.T) {
	frame, err := encodeFrame(make([]byte, maxFrame), maxFrame)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readFrame(bufio.NewReader(bytes.NewReader(frame))); err != nil || len(got) != maxFrame {
		t.Errorf("readFrame = %d bytes, %v", len(got), err)
	}
}

func TestBadFramesAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		stream string
		want   error
	}{
		"HTTP":           {"HTTP/1.1 400 Bad Request\r\n\r\n", ErrNotInitd},
		"TLS":            {"\x15\x03\x01\x00\x02\x02\x16", ErrNotInitd},
		"length 0":       {"\x00\x00\x00\x00", ErrProtocol},
		"half a header":  {"\x00\x00", ErrConnectionLost},
		"half a payload": {"\x00\x00\x00\x05{}", ErrConnectionLost},
	} {
		if _, err := readFrame(bufio.NewReader(strings.NewReader(test.stream))); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

func TestAnAnnouncedLengthReservesNoMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := 0; i < 100; i++ {
		_, _ = readFrame(bufio.NewReader(strings.NewReader("\x00\xff\xff\xff{")))
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("100 announcements of 16 MiB took %d bytes", used)
	}
}

func TestFramesBeyondTheLimitAreNotSent(t *testing.T) {
	for _, size := range []int{0, 11} {
		if _, err := encodeFrame(make([]byte, size), 10); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%d bytes: %v, want ErrTooLarge", size, err)
		}
	}
}
