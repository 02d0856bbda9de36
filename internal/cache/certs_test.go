package cache_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// certificates is a directory with cert.pem and key.pem, for localhost, that this process trusts by way of
// SSL_CERT_FILE, as an operator would have it.
var certificates string

func withCertificates(m *testing.M) int {
	dir, err := os.MkdirTemp("", "certs")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	certificates = dir
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"localhost"}, IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	keyBytes, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	writePEM("cert.pem", "CERTIFICATE", cert)
	writePEM("key.pem", "PRIVATE KEY", keyBytes)
	os.Setenv("SSL_CERT_FILE", filepath.Join(dir, "cert.pem"))
	return m.Run()
}

func writePEM(name, kind string, b []byte) {
	block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b})
	if err := os.WriteFile(filepath.Join(certificates, name), block, 0o600); err != nil {
		panic(err)
	}
}
