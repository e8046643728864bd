// Package mariadbtest starts private MariaDB servers for tests and developer tools: own data directory,
// port and socket, 127.0.0.1 only, gone when the process that started them is gone.
//
// Servers are tuned for a quick start and quick commits, not for durability. It never uses a server that
// it did not start, and the product must not import it (a test pins that).
//
// Accounts of every server:
//
//	root@localhost  no password, over the socket only
//	sbtest@%        password "pw" (Password), mysql_native_password
//	ed@%            password "pw", client_ed25519
//	Server.SocketUser@localhost  unix_socket: the operating system's user, whatever the password;
//	                when that is root, root@localhost tries unix_socket first
//
// The data directory is copied from a template that is made once per machine and server version (below
// os.UserCacheDir), so that a start takes about a second.
package mariadbtest
