"""What the page says of its programs: asked, and tried."""

import numpy as np

from attnref import check

one_text = np.eye(5, 6)
