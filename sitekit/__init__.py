"""Tools that build and check the site; importable and tested, never part of the wheel."""
