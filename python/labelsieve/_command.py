"""The command `sieve` that the package carries: a script of the installation, and for `open`."""
from __future__ import annotations

import os
import pathlib
import shutil
import sys
from typing import Optional

_CARRIED = pathlib.Path(__file__).with_name("bin") / "sieve"


def command() -> Optional[str]:
    """Where the command is: what SIEVE_COMMAND names, that of the package, or one in the path."""
    carried = str(_CARRIED) if os.access(_CARRIED, os.X_OK) else None
    return os.environ.get("SIEVE_COMMAND") or carried or shutil.which("sieve")


def main() -> None:
    os.execv(_CARRIED, ["sieve", *sys.argv[1:]])
