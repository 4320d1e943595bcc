"""The marks at which the text counts draws."""

certain = 0.9  # of the weight: all but everything
little, plenty = 0.01, 0.15  # slopes
quarters = [0.25, 0.75]  # of the draws
batch = 100  # draws in a small experiment
