package mysql

import (
	"errors"

	"deltabench/internal/sqldb"
	"deltabench/internal/wire"
)

// Column definitions are most of the bytes of a small result set, and nothing here needs them. MariaDB leaves them out of
// repeated executions by itself (MariaDBCacheMetadata). MySQL 8 does when the client offers
// OptionalResultsetMetadata and sets a session variable. It says so in a flag before the column count, and to an
// unsuspecting reader the result looks like an OK packet. The driver therefore tries the three kinds of
// replies once; if they are not as documented, it connects again without the capability.
const (
	metadataUntried int32 = iota
	metadataOptional
	metadataNeeded // the server does not do it, or not as documented
)

// errMetadata is a server that does something else than the documentation says.
var errMetadata = errors.New("result sets without metadata are not as documented")

// dropMetadata asks a server that offers it to leave column definitions out. After errMetadata the connection must be
// opened again, which will not ask.
func (c *conn) dropMetadata() error {
	if !c.caps.Has(wire.OptionalResultsetMetadata) {
		return nil
	}
	_, f, _ := c.run(append(append(c.begin(), byte(wire.ComQuery)), "SET resultset_metadata=NONE"...), nil)
	var e *sqldb.Error
	switch {
	case f.err == nil && c.d.metadata.Load() == metadataOptional:
		return nil
	case f.err == nil:
		f.err = c.tryWithoutMetadata()
	case !c.lost && errors.As(f.err, &e):
		// Refused, as by servers without the variable; with the definitions all goes on.
		c.d.metadata.Store(metadataNeeded)
		return nil
	}
	if f.err == nil {
		c.d.metadata.Store(metadataOptional)
		return nil
	}
	if interrupted(f.err) || errors.As(f.err, &e) && e.Code != errMalformed {
		return f.err
	}
	c.d.metadata.Store(metadataNeeded)
	return errMetadata
}

// tryWithoutMetadata makes a text query, prepares and executes.
func (c *conn) tryWithoutMetadata() error {
	res, f, _ := c.run(append(append(c.begin(), byte(wire.ComQuery)), "SELECT 1"...), nil)
	if f.err != nil {
		return f.err
	}
	if res.Rows != 1 || c.rd.Buffered() > 0 {
		return errMetadata
	}
	s := &stmt{c: c, text: "SELECT ?", params: []wire.Param{wire.IntParam(1)}, count: 1}
	if err := s.prepare(); err != nil {
		return err
	}
	res, f, _ = c.run(wire.AppendExecute(c.begin(), s.id, s.params, true), nil)
	if f.err != nil {
		return f.err
	}
	if res.Rows != 1 || c.rd.Buffered() > 0 {
		return errMetadata
	}
	s.closeOnServer()
	return nil
}
