package cache_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certificates is a directory with a key and its certificate for a host in each file. This process trusts them by way of
// SSL_CERT_DIR, as an operator would have it.
var certificates string

func certificate(host string) string { return filepath.Join(certificates, host+".pem") }

func withCertificates(m *testing.M) int {
	dir, err := os.MkdirTemp("", "certs")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	certificates = dir
	writeCertificate("localhost")
	writeCertificate("127.0.0.1")
	os.Setenv("SSL_CERT_DIR", dir)
	return m.Run()
}

func writeCertificate(host string) {
	c := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	if ip := net.ParseIP(host); ip != nil {
		c.IPAddresses = []net.IP{ip}
	} else {
		c.DNSNames = []string{host}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	cert, err := x509.CreateCertificate(rand.Reader, &c, &c, key.Public(), key)
	if err != nil {
		panic(err)
	}
	keyBytes, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	both := append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyBytes}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})...)
	if err := os.WriteFile(certificate(host), both, 0o600); err != nil {
		panic(err)
	}
}
