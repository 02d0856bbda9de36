package cache

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	dialTimeout = time.Second

	// findMaster is how long a dial may take with Sentinel. go-redis asks the Sentinel that it knows for the master, four
	// times if that one is silent, each for as long as a dial or an exchange may take, and only then the others.
	findMaster = 4*max(dialTimeout, writeTimeout) + 2*dialTimeout

	// findNodes is how old what is known of a Cluster may be when it is used. A node that lives tells who has what was its
	// own; of a dead one, only the others do.
	findNodes = 2 * time.Second

	// poolSize is the most connections, per node: enough for all readers of a single Redis, for the writer, and for what
	// go-redis itself asks.
	poolSize = 8
)

// Connect makes a client for what else is to be shared in the Redis that url names, with connections of its own: at most
// so many to each node. Each command ends when its context does. It dials nothing yet. end closes it.
//
// The error quotes nothing of url. As NewRedis does, it turns go-redis's own log off.
func Connect(url string, connections int) (client redis.UniversalClient, end func() error, err error) {
	t, err := parseURL(url)
	if err != nil {
		return nil, nil, err
	}
	logging.Disable()
	open, cut := context.WithCancel(context.Background())
	client = t.client(open, connections)
	return client, func() error { cut(); return client.Close() }, nil
}

// client builds what t says, with at most so many connections to each node. It dials nothing yet. closing ends the
// dials that are under way.
func (t target) client(closing context.Context, connections int) redis.UniversalClient {
	host, _, _ := net.SplitHostPort(t.addrs[0])
	d := dialer{closing: closing, tls: t.tls, serverName: host}
	o := redis.UniversalOptions{
		Addrs: t.addrs, MasterName: t.master, DB: t.db, Username: t.user, Password: t.password, Dialer: d.dial,

		// Without this a context's deadline is ignored once a command is under way.
		ContextTimeoutEnabled: true,
		ReadTimeout:           writeTimeout, // the readers' is shorter and comes with the context
		WriteTimeout:          writeTimeout,
		DialTimeout:           dialTimeout,
		DialerRetries:         1,
		MaxRetries:            1, // for a connection that broke while it was idle
		MinRetryBackoff:       5 * time.Millisecond,
		MaxRetryBackoff:       20 * time.Millisecond,

		PoolSize:         connections,
		PoolTimeout:      writeTimeout,
		PipelinePoolSize: -1, // let pipelines have the pool
		ReadBufferSize:   16 << 10,
		WriteBufferSize:  32 << 10,
		ConnMaxIdleTime:  4 * time.Minute, // less than what balancers and firewalls allow

		// Nothing of RESP3 is needed, and an ACL need not allow what these would send.
		Protocol:                 2,
		DisableIdentity:          true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	switch t.kind {
	case sentinel:
		f := o.Failover()
		f.DialTimeout = findMaster
		if t.sentinelAuth {
			f.SentinelUsername, f.SentinelPassword = t.user, t.password
		}
		return redis.NewFailoverClient(f)
	case cluster:
		c := o.Cluster()
		c.DisableRoutingPolicies = true // they ask a node for COMMAND, past every deadline
		c.ClusterStateReloadInterval = findNodes
		return redis.NewClusterClient(c)
	default:
		return redis.NewClient(o.Simple())
	}
}

// dialer exists because go-redis dials in the background, past the end of its caller, and past Close.
type dialer struct {
	closing    context.Context
	tls        bool
	serverName string // for nodes that are announced by address: the URL's first host
}

func (d dialer) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	defer context.AfterFunc(d.closing, cancel)()
	if !d.tls {
		return new(net.Dialer).DialContext(ctx, network, addr)
	}
	return d.dialTLS(ctx, network, addr)
}

// dialTLS wants a certificate for the host it dials, or where that is an address, for the URL's first host.
func (d dialer) dialTLS(ctx context.Context, network, addr string) (conn net.Conn, err error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	names := []string{host}
	if net.ParseIP(host) != nil {
		names = []string{d.serverName, host}
	}
	for _, name := range names {
		secure := tls.Dialer{Config: &tls.Config{ServerName: name, MinVersion: tls.VersionTLS12}}
		conn, err = secure.DialContext(ctx, network, addr)
		if !errors.As(err, new(x509.HostnameError)) {
			break
		}
	}
	return conn, err
}
