"""What the page says of its programs is asked of the checker, and tried on one text without a batch."""

import numpy as np

from attnref import check

one_text = np.eye(5, 6)
