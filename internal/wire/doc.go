// Package wire encodes and decodes the MySQL client/server protocol: packets, handshake, commands,
// result sets and the compressed protocol, of MySQL 5.7 to 9 and MariaDB 10 to 12.
//
// It has no policy and knows no sockets beyond io.Reader and io.Writer: who says what when is decided by
// its users (the MySQL driver, the proxy, test servers). Encoders append to a slice of the caller.
// Decoders read from a slice and keep parts of it: what they return is valid as long as that slice, which
// for packets of a Reader is until the next packet is read, unless said otherwise.
//
// References are to the protocol documentation of MySQL ("Client/Server Protocol" in the source
// documentation) and of MariaDB (knowledge base, "Client/Server Protocol").
package wire
