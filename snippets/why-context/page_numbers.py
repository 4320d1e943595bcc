"""The shares of a state that the text tries to keep."""

halves, kept = 0.5, 0.9
