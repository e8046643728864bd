package nullserver

type Query struct{}
type Fault struct{}
