package embedded

import (
	"crypto/subtle"
	"crypto/x509"
	"net"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
)

// login lets the one account in, by mysql_native_password. The engine's own accounts are not used: with them it checks
// the privileges of every statement, and there is nothing to protect from somebody who may do everything.
type login struct{ user, password string }

var _ mysql.AuthServer = (*login)(nil)

// AuthMethods returns the one method.
func (l *login) AuthMethods() []mysql.AuthMethod {
	return []mysql.AuthMethod{mysql.NewMysqlNativeAuthMethod(l, l)}
}

// DefaultAuthMethodDescription is the method that clients are told first.
func (l *login) DefaultAuthMethodDescription() mysql.AuthMethodDescription {
	return mysql.MysqlNativePassword
}

// HandleUser accepts everybody: who is wrong hears it after the password, as in MySQL.
func (l *login) HandleUser(string, net.Addr) bool { return true }

// UserEntryWithHash checks name and password.
func (l *login) UserEntryWithHash(_ []*x509.Certificate, salt []byte, user string, response []byte, remote net.Addr) (mysql.Getter, error) {
	host, _, err := net.SplitHostPort(remote.String())
	if err != nil {
		host = remote.String()
	}
	want := mysql.ScrambleMysqlNativePassword(salt, []byte(l.password))
	if user != l.user || subtle.ConstantTimeCompare(response, want) != 1 {
		using := "YES"
		if len(response) == 0 {
			using = "NO"
		}
		return nil, mysql.NewSQLError(mysql.ERAccessDeniedError, mysql.SSAccessDeniedError, "Access denied for user '%s'@'%s' (using password: %s)", user, host, using)
	}
	return sql.MysqlConnectionUser{User: user, Host: host}, nil
}
