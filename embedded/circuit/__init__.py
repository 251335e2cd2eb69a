# SPDX-License-Identifier: Apache-2.0
"""Boolean circuits: as data, masked, checked, and as C.

A circuit is a file of gates (`circuits`). `masking` makes of it a program on shares; `probing`
checks exactly that no few wires of such a program tell anything; `c` prints it. So what is checked
is what is compiled. `x86` reads back what a compiler made of it.
"""
