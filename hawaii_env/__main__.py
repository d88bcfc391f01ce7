"""``python -m hawaii_env`` is the ``hawaii`` command."""

import sys

from hawaii_env.cli import main

sys.exit(main())
