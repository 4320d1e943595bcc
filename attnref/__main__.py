"""`python -m attnref`: the checker and the maps of trained heads from the command line."""

import sys

if __name__ == "__main__":
    from attnref.diagnosis._command import main

    sys.exit(main())
