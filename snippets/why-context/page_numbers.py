"""What the text keeps of a state, and a factor with growth."""

halves, kept, grown = 0.5, 0.9, 1.1
