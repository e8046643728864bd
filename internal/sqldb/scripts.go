package sqldb

// ScriptConn is a Conn with what scripts may ask for besides. Its calls are counted, logged and ignored as those of Conn.
type ScriptConn interface {
	Conn
	// Store is Query that keeps what it returned in rows, which belongs to the connection from then on. While rows has
	// results that NextResult was not called for, all other statements fail, as they do in sysbench.
	Store(text string, rows *Rows) (Result, error)
	// NextResult goes to the next result of the last statement that was stored; ok is false when there is none. It is
	// counted as a statement.
	NextResult() (res Result, ok bool, err error)
	// PrepareUnbound is Prepare for a script, which knows the parameters later. Until Bind the statement has none.
	PrepareUnbound(text string) (ScriptStmt, error)
}

// ScriptStmt is a Stmt whose parameters are bound after it was prepared.
type ScriptStmt interface {
	Stmt
	// Bind sets the types of parameters; all are NULL then. The error of a wrong number of them has been logged.
	Bind(types ...ParamType) error
	// ExecuteStored is Execute that keeps what it returned in rows; see ScriptConn.Store. The rows of statements that the
	// server has prepared are only counted: sysbench cannot read them either.
	ExecuteStored(rows *Rows) (Result, error)
}
