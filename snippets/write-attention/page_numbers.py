"""What the page says of its programs is asked of the checker,
once for each program."""

from functools import cache

import attnref

check = cache(attnref.check)
