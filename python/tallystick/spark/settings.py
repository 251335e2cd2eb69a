# SPDX-License-Identifier: Apache-2.0
"""What travels from the driver to the executors: a policy, and where they find its keys.

It becomes part of Spark's plans and of pickled functions, so nothing in it is a secret.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from tallystick.errors import ParameterError
from tallystick.keyring import RootKey
from tallystick.keyring.root import EnvironmentRoot, FileRoot
from tallystick.policy import Policy
from tallystick.protector import given

_PROVIDER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Settings:
    """A policy, and where a Python worker of an executor finds its keys."""

    policy: str
    """The policy's file, as text."""
    source: str
    """The path that it was read from, for messages."""
    keyring: str | None = None
    """The path of the key ring on each executor's machine. None: what ``TALLYSTICK_KEYRING`` says
    in the environment of the executor."""
    root: str | None = None
    """Where its root key comes from there (``file:PATH`` or ``env:NAME``). None: what
    ``TALLYSTICK_ROOT`` says in the environment of the executor."""
    provider: str | None = None
    """``package.module:Class`` instead of both: see `make`."""
    signatures: bytes | None = None
    """The file of the policy's signatures."""

    @classmethod
    def make(
        cls,
        policy: str | os.PathLike[str] | None = None,
        *,
        keyring: str | os.PathLike[str] | None = None,
        root: RootKey | str | None = None,
        provider: str | None = None,
    ) -> Self:
        """Read and check a policy, and check that only references to keys are given.

        Parameters
        ----------
        policy : path, optional
            A policy's file on the driver's machine; by default the one that ``TALLYSTICK_POLICY``
            of the driver's environment names. Its text travels to the executors.
        keyring : path, optional
            An absolute path on the executors' machines, the same on each.
        root : str or RootKey, optional
            ``file:PATH`` with an absolute path on the executors' machines, or ``env:NAME`` of their
            environment.
        provider : str, optional
            ``package.module:Class``, which executors can import. A worker calls it without
            arguments; what it returns has ``key(reference)``, which returns the bytes of a data key
            (16, 24 or 32) for a `tallystick.keyring.KeyId`, and raises `KeyringError` if it has
            none.

        Raises
        ------
        ParameterError
            What is given is a key, or something else that can't or must not travel.
        PolicyError
            As `Policy.load` raises it.
        """
        path = _policy_path(policy)
        if provider is not None:
            if keyring is not None or root is not None:
                raise ParameterError(
                    "a provider has the keys: leave out the key ring and the root key"
                )
            if not (isinstance(provider, str) and _PROVIDER.fullmatch(provider)):
                raise ParameterError(
                    "a provider must be text, package.module:Class, so that executors "
                    "import it themselves; an object or a class would travel"
                )
        signed = Policy.load(path).signed
        assert signed is not None  # noqa: S101 (it was read from a file)
        text = signed.policy.decode()
        return cls(text, str(path), _ring(keyring), _root(root), provider, signed.signatures)

    def rules(self) -> Policy:
        """Return the policy as it was read from its text."""
        return Policy.of_file(self.policy.encode(), self.source, self.signatures)


def _policy_path(policy: object) -> Path:
    policy = given(policy, "policy")
    if not isinstance(policy, str | os.PathLike):
        raise ParameterError(
            f"a policy must be a path, not {type(policy).__name__}: its text travels "
            "to the executors"
        )
    return Path(policy)


def _ring(keyring: object) -> str | None:
    if keyring is None:
        return None
    if not isinstance(keyring, str | os.PathLike):
        raise ParameterError(
            f"a key ring must be a path, not {type(keyring).__name__}: executors open "
            "it themselves, and keys do not travel"
        )
    return _absolute(os.fspath(keyring), "a key ring's path")


def _root(root: object) -> str | None:
    if root is None:
        return None
    if isinstance(root, str):
        root = RootKey.parse(root)
    if isinstance(root, EnvironmentRoot):
        return str(root)
    if isinstance(root, FileRoot):
        _absolute(root.path, "a root key's path")
        return str(root)
    if isinstance(root, RootKey):
        raise ParameterError(
            "executors can't ask for a passphrase or shares: pass the root key's source as "
            "file:PATH or env:NAME, or a provider; a wrapping key goes into TALLYSTICK_ROOT of "
            "their environment"
        )
    raise ParameterError(
        "a root key's source must be file:PATH or env:NAME, not "
        f"{type(root).__name__}: a key would travel in Spark's plans and functions, "
        "where others can read it"
    )


def _absolute(path: str | bytes, what: str) -> str:
    if not (isinstance(path, str) and os.path.isabs(path)):
        raise ParameterError(
            f"{what} must be absolute, as text: executors have their own working folders"
        )
    return path
