package initd

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

const (
	headerBytes = 4
	// maxFrame is the largest payload that a supervisor sends.
	maxFrame = 16<<20 - 1
	// helloLimit is the largest payload that a supervisor accepts before it has answered hello.
	helloLimit = 4096
	// trustedBytes is how much memory an announced length is worth before its bytes have arrived.
	trustedBytes = 64 << 10
)

// encodeFrame returns payload with its header. The limit is the supervisor's.
func encodeFrame(payload []byte, limit int) ([]byte, error) {
	if len(payload) == 0 || len(payload) > limit {
		return nil, fmt.Errorf("%w: it has %d bytes, and the supervisor accepts 1 to %d", ErrTooLarge, len(payload), limit)
	}
	frame := make([]byte, headerBytes, headerBytes+len(payload))
	binary.BigEndian.PutUint32(frame, uint32(len(payload)))
	return append(frame, payload...), nil
}

// readFrame returns the next payload, or io.EOF if the stream ended between two frames.
func readFrame(r *bufio.Reader) ([]byte, error) {
	first, err := r.Peek(1)
	if err != nil {
		return nil, err
	}
	if first[0] != 0 {
		return nil, fmt.Errorf("%w: a frame begins with the byte %#02x instead of 0; check the socket's path", ErrNotInitd, first[0])
	}
	var header [headerBytes]byte
	if _, err := io.ReadFull(r, header[:]); err != nil {
		return nil, truncated(err)
	}
	length := int64(binary.BigEndian.Uint32(header[:]))
	if length == 0 {
		return nil, fmt.Errorf("%w: a frame has 0 bytes", ErrProtocol)
	}
	// The first byte is 0, so length is at most maxFrame.
	var payload bytes.Buffer
	if length < trustedBytes {
		payload.Grow(int(length))
	}
	if _, err := io.CopyN(&payload, r, length); err != nil {
		return nil, truncated(err)
	}
	return payload.Bytes(), nil
}

func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ended in the middle of a message", ErrConnectionLost)
	}
	return err
}
