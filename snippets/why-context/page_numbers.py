"""What the text keeps of a state, and a factor with growth."""

kept, grown = 0.9, 1.1
