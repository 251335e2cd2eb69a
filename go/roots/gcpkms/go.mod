// A module of its own: those who use other root keys don't carry what it needs.
module github.com/tallystick/tallystick/go/roots/gcpkms

go 1.26.0

require github.com/tallystick/tallystick v0.0.0

require (
	cloud.google.com/go/compute/metadata v0.3.0 // indirect
	filippo.io/age v1.3.2 // indirect
	filippo.io/hpke v0.4.0 // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/crypto v0.55.0 // indirect
	golang.org/x/oauth2 v0.38.0
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/tallystick/tallystick => ../../..
