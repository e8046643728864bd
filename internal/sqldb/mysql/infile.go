package mysql

import (
	"fmt"
	"io"

	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

// infilePiece is the size in bytes of the packets in which LoadInfile sends data: few enough system calls, and still in
// the processor's cache.
const infilePiece = 64 << 10

// infile is the data that a statement of LoadInfile may ask for, once.
type infile struct {
	name string
	data io.Reader
}

// Try implements sqldb.Loader.
func (c *conn) Try(text string, rows sqldb.RowFunc) (sqldb.Result, error) {
	if c.closed {
		return sqldb.Result{}, errClosed
	}
	packet := append(c.begin(), byte(wire.ComQuery))
	packet = append(packet, text...)
	res, f, rowsErr := c.run(packet, rows)
	if c.d.cfg.Debug {
		c.debugQuery(text, &res, &f)
	}
	if f.err != nil {
		return sqldb.Result{}, f.err
	}
	return res, rowsErr
}

// LoadInfile implements sqldb.Loader.
func (c *conn) LoadInfile(text, file string, data io.Reader) (sqldb.Result, error) {
	c.infile = &infile{name: file, data: data}
	defer func() { c.infile = nil }()
	return c.Try(text, nil)
}

// sendInfile answers a server that asks for the file of the given name. Servers choose the name, so that a hostile one
// could ask for any file: nothing is ever opened, only the reader of the current statement is read, and only under the
// name that the statement has.
func (c *conn) sendInfile(name []byte) error {
	c.wr.Seq = c.rd.Seq
	in := c.infile
	c.infile = nil
	switch {
	case in == nil:
		// Nothing was offered; an empty file lets the server end the statement.
		return c.endInfile()
	case string(name) != in.name:
		c.drop()
		return clientError(errMalformed, fmt.Sprintf("Malformed packet (the server asks for the file %.100q, which the statement does not name)", name))
	}
	c.rd.Release()
	buf := make([]byte, wire.HeaderSize+infilePiece)
	for {
		n, err := io.ReadFull(in.data, buf[wire.HeaderSize:])
		if n > 0 {
			if err := c.wr.Send(buf[:wire.HeaderSize+n]); err != nil {
				return c.broken(err)
			}
		}
		switch {
		case err == io.EOF, err == io.ErrUnexpectedEOF:
			return c.endInfile()
		case err != nil:
			c.drop()
			if interrupted(err) {
				return sqldb.ErrInterrupted
			}
			return clientError(errUnknown, "the data to load could not be made: "+err.Error())
		}
	}
}

// endInfile sends the end of a file.
func (c *conn) endInfile() error {
	if err := c.wr.Write(nil); err != nil {
		return c.broken(err)
	}
	c.rd.Seq = c.wr.Seq
	return nil
}
