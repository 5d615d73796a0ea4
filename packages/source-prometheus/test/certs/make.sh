#!/usr/bin/env bash
# Makes the certificates of this folder anew; see README.md.
set -euo pipefail
cd "$(dirname "$0")"
days=36500
key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1-key.pem"; }
authority() {
  key "$1"
  openssl req -x509 -new -key "$1-key.pem" -days $days -subj "/CN=muster test $1" -out "$1.pem" \
    -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign,cRLSign"
}
leaf() { # name, extendedKeyUsage, subjectAltName
  key "$1"
  openssl req -new -key "$1-key.pem" -subj "/CN=muster test $1" |
    openssl x509 -req -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days $days -out "$1.pem" \
      -extfile <(printf 'basicConstraints=CA:FALSE\nextendedKeyUsage=%s\n%s\n' "$2" "$3")
}
authority ca
authority other-ca
leaf server serverAuth "subjectAltName=DNS:model.test,IP:127.0.0.1,IP:::1"
leaf named serverAuth "subjectAltName=DNS:model.test"
leaf client clientAuth ""
rm -f ca.srl ca-key.pem other-ca-key.pem
