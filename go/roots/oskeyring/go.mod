// A module of its own: those who use other root keys don't carry what it needs.
module github.com/tallystick/tallystick/go/roots/oskeyring

go 1.25.0

require (
	github.com/tallystick/tallystick v0.0.0
	github.com/zalando/go-keyring v0.2.8
)

require (
	filippo.io/age v1.3.2 // indirect
	filippo.io/hpke v0.4.0 // indirect
	github.com/danieljoos/wincred v1.2.3 // indirect
	github.com/godbus/dbus/v5 v5.2.2 // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/crypto v0.55.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
)

replace github.com/tallystick/tallystick => ../../..
