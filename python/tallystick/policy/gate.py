# SPDX-License-Identifier: Apache-2.0
"""What a run looks at before the first row of a file: its marker, and the columns of its table."""

from collections.abc import Callable, Collection, Sequence

from tallystick.files import Place
from tallystick.policy.marker import Marker, State
from tallystick.policy.rules import Policy
from tallystick.policy.tables import Untouched, check_listed, untouched_columns


class FileGate:
    """The gate of one run; see `tallystick.files.Gate`.

    `source`: what messages begin with.
    `change`: gives the target's marker for the source's, or refuses it.
    `protects`: by which the run protects: columns that it does not name are noted, or refused if it
    says so.
    `write`: whether the target gets a marker.
    `ignore`: whether the source's marker is not read.
    `check`: gets the names of all columns, and refuses what can't be done with them.

    Attributes
    ----------
    state : {"none", "checked", "ignored"}
        What became of the source's marker.
    marked : bool
        Whether the target has a marker.
    untouched : Untouched
        The columns that pass in clear.
    """

    def __init__(
        self,
        source: Place,
        change: Callable[[Marker | None], Marker | None],
        *,
        protects: Policy | None = None,
        write: bool = True,
        ignore: bool = False,
        check: Callable[[Sequence[str]], None] | None = None,
    ) -> None:
        self.state: State = "none"
        self.marked = False
        self.untouched = Untouched()
        self._source = source
        self._change = change
        self._protects = protects
        self._write = write
        self._ignore = ignore
        self._check = check
        self._already: Collection[str] = ()

    def marker(self, found: bytes | None) -> bytes | None:
        """Check the source's marker, and return the target's."""
        if found is not None:
            self.state = "ignored" if self._ignore else "checked"
        old = None if self._ignore else Marker.read(found, self._source)
        new = self._change(old)
        if old is not None:
            self._already = old.columns
        made = new.write() if new is not None and self._write else None
        self.marked = made is not None
        return made

    @property
    def paths(self) -> Sequence[str]:
        """The columns that the policy, or one before, protects or keeps."""
        if self._protects is None:
            return ()
        return [*self._protects.named, *self._already]

    def columns(self, names: Sequence[str]) -> None:
        """Note the columns that pass in clear, and refuse them if the policy says so."""
        if self._check is not None:
            self._check(names)
        if self._protects is not None:
            self.untouched = untouched_columns(self._protects, names, self._already)
            check_listed(self._protects, self.untouched, self._source)
