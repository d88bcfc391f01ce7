"""Settings that must stand before hawaii_env is first imported, and the profiles of hypothesis."""

import os

# Compiled code checks every index: an illegal read fails a test instead of returning rubbish.
os.environ.setdefault("HAWAII_ENV_BOUNDS_CHECK", "1")
# The compiled mode, from the first test on; HAWAII_ENV_PLAIN=1 tests the plain one.
os.environ["HAWAII_ENV_PLAIN"] = os.environ.get("HAWAII_ENV_PLAIN") or "0"

from hypothesis import settings

# A first call compiles, so no deadline. The same examples on every run, but for the nightly ones.
settings.register_profile("default", deadline=None, derandomize=True, max_examples=50)
settings.register_profile("nightly", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
