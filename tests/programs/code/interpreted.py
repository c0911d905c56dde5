"""A function of a library that is called from an interpreted program takes the time.

run: python3 interpreted.py <library> [seconds]
hypothesis: CPUbound
function: /Code/grinding.c/grinding_step
object: none
"""

import ctypes
import sys
import time


def tidy(values):
    return sorted(value * 0.5 for value in values)


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.grinding_step.restype = ctypes.c_double
    library.grinding_step.argtypes = [ctypes.c_double]
    end = time.monotonic() + float(sys.argv[2])
    x, rounds = 0.5, 0
    while time.monotonic() < end:
        x = library.grinding_step(x)
        tidy([x, 0.25, 0.125])
        rounds += 1
    print("interpreted:", rounds > 0, x > 0.0)


main()
