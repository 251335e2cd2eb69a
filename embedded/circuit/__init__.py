# SPDX-License-Identifier: Apache-2.0
"""Boolean circuits: as data, masked, checked, and as C.

A circuit is a file of gates (`circuits`). `masking` makes a program on shares of it; `probing`
checks exactly that no one or two wires of the program depend on a secret; `c` prints it. So the
checked program is the compiled one. `x86` reads back the assembly of a compiler.
"""
