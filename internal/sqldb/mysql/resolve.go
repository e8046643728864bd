package mysql

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"

	"deltabench/internal/sqldb"
)

// defaultSockets are where servers put their socket; the environment variable MYSQL_UNIX_PORT comes first.
var defaultSockets = []string{
	"/run/mysqld/mysqld.sock",
	"/var/run/mysqld/mysqld.sock",
	"/tmp/mysql.sock",
	"/var/lib/mysql/mysql.sock",
}

// defaultSocket is the socket of the host "localhost": the first that exists, else the first of the list.
func defaultSocket() string {
	if s := os.Getenv("MYSQL_UNIX_PORT"); s != "" {
		return s
	}
	for _, s := range defaultSockets {
		if _, err := os.Stat(s); err == nil {
			return s
		}
	}
	return defaultSockets[0]
}

// resolve fills the list of targets. A host name that is unknown is an error of the connections to it, as in
// sysbench.
func (d *driver) resolve(ctx context.Context) {
	for _, s := range d.cfg.Sockets {
		d.targets = append(d.targets, target{socket: s, host: "localhost", network: "unix", addresses: []string{s}})
	}
	if len(d.targets) > 0 {
		return
	}
	for _, host := range d.cfg.Hosts {
		if host == "localhost" && runtime.GOOS != "windows" {
			socket := d.cfg.LocalSocket
			if socket == "" {
				socket = defaultSocket()
			}
			for _, port := range d.cfg.Ports {
				d.targets = append(d.targets, target{host: host, port: port, network: "unix", addresses: []string{socket}, nameSocket: d.cfg.NameSocket})
			}
			continue
		}
		ips, err := lookup(ctx, host)
		for _, port := range d.cfg.Ports {
			t := target{host: host, port: port, network: "tcp"}
			for _, ip := range ips {
				// As in C, ports wrap.
				t.addresses = append(t.addresses, net.JoinHostPort(ip, strconv.Itoa(int(uint16(port)))))
			}
			if len(ips) == 0 {
				t.err = err
			}
			d.targets = append(d.targets, t)
		}
	}
}

// lookup returns the numeric addresses of host.
func lookup(ctx context.Context, host string) ([]string, *sqldb.Error) {
	if net.ParseIP(host) != nil {
		return []string{host}, nil
	}
	addrs, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil || len(addrs) == 0 {
		// -2 is what the C library's resolver says of unknown names.
		return nil, clientError(errUnknownHost, fmt.Sprintf("Unknown server host '%s' (-2)", host))
	}
	ips := make([]string, len(addrs))
	for i, a := range addrs {
		ips[i] = a.String()
	}
	return ips, nil
}
