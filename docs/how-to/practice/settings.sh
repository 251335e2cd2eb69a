# Keys for practice: anybody can read this root key, so it protects nothing.
export PRACTICE_ROOT=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
export TALLYSTICK_KEYRING=practice.keys TALLYSTICK_ROOT=env:PRACTICE_ROOT
