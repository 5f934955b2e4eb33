"""The program's entrance; says as little as possible before it knows what is wanted."""

from __future__ import annotations

import multiprocessing
import os
import sys

from qmdesk import bundle


def main() -> None:
    bundle.settle_in()
    # A windowed Windows build has none; libraries ask them without looking.
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for our whole life
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for our whole life
    multiprocessing.freeze_support()
    if sys.argv[1:2] == ["llama-server"]:
        # A server of its own: it must be up soon, and needs nothing of the rest.
        from qmdesk.llama_server import main as llama_server

        sys.exit(llama_server(sys.argv[2:]))
    if sys.argv[1:2] == ["supervise"]:
        # Our own helper, in a bundle that has no Python to start its file with.
        from qmdesk.process.supervisor import main as supervise

        sys.exit(supervise())
    from qmdesk.cli import main as cli

    sys.exit(cli(sys.argv[1:]))


if __name__ == "__main__":
    main()
