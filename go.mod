module github.com/tallystick/tallystick

go 1.25.0

require (
	github.com/BurntSushi/toml v1.6.0
	github.com/tetratelabs/wazero v1.12.0
)

require golang.org/x/sys v0.44.0 // indirect
