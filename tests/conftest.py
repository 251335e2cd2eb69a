# SPDX-License-Identifier: Apache-2.0
"""What holds for the tests of faults and of leaks: programs that they start can be signalled."""

from dispositions import let_programs_be_signalled

let_programs_be_signalled()
