"""What the page says of its programs is asked of the checker."""

from attnref import check
