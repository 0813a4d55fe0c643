package setup

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"slices"
	"time"
)

// The names of the server's files, as its configuration has them.
const (
	certificateFile = "server.pem"
	keyFile         = "server.key"
)

const (
	goodFor = 2 * 365 * 24 * time.Hour
	// A certificate begins to be good a little earlier: clocks of machines differ.
	goodSince = 24 * time.Hour
)

// pair is a server's certificate, all in PEM.
type pair struct {
	authority, certificate, key []byte
	until                       time.Time
}

// newPair makes an authority and the server's certificate from it. The authority's own key
// is forgotten: nobody can make another certificate that the fleet believes.
func newPair(hosts []string, now time.Time) (pair, error) {
	since, until := now.Add(-goodSince).UTC(), now.Add(goodFor).UTC().Truncate(time.Second)
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, err
	}
	serverKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return pair{}, err
	}
	authority := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "inferometer fleet authority"}, NotBefore: since, NotAfter: until,
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "inferometer fleet nats-server"}, NotBefore: since, NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range append(slices.Clone(hosts), "localhost", "127.0.0.1", "::1") {
		if ip := net.ParseIP(host); ip == nil {
			server.DNSNames = append(server.DNSNames, host)
		} else if !slices.ContainsFunc(server.IPAddresses, ip.Equal) {
			server.IPAddresses = append(server.IPAddresses, ip)
		}
	}
	authorityPEM, authorityCert, err := signed(authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return pair{}, err
	}
	serverPEM, _, err := signed(server, authorityCert, serverKey.Public(), authorityKey)
	if err != nil {
		return pair{}, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		return pair{}, err
	}
	key := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	return pair{authority: authorityPEM, certificate: serverPEM, key: key, until: until}, nil
}

func signed(c, parent *x509.Certificate, public crypto.PublicKey, by crypto.Signer) ([]byte, *x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, c, parent, public, by)
	if err != nil {
		return nil, nil, fmt.Errorf("make a certificate: %w", err)
	}
	parsed, err := x509.ParseCertificate(der)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), parsed, err
}

func serial() *big.Int {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // it never fails
	b[0] &= 0x7f
	return new(big.Int).SetBytes(b)
}
