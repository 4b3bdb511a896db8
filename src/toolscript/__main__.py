"""`python -m toolscript` is the command `toolscript`."""

from toolscript.cli import main

raise SystemExit(main())
