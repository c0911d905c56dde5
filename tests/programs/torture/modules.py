"""Reads and writes JSON, matches, sorts, formats, compresses and hashes, until a file is there."""
import collections
import decimal
import fractions
import hashlib
import json
import math
import os
import re
import struct
import sys
import textwrap
import zlib


def work():
    digest = hashlib.sha256()
    table = {"key %d" % at: [at, at / 7, str(at), None, at % 2 == 0] for at in range(40)}
    text = json.dumps(table, sort_keys=True, indent=1)
    digest.update(text.encode())
    assert json.loads(text) == table
    for wrong in ("{", "[1,]", '"\\x"'):
        try:
            json.loads(wrong)
        except ValueError as error:
            digest.update(str(error).encode())
    words = re.findall(r"(\w+) (\d+)", text)
    digest.update(repr(re.sub(r"(?<=\d)\.(\d)", r",\1", text)[:500]).encode())
    digest.update(repr(collections.Counter(word for word, _ in words).most_common(3)).encode())
    digest.update(repr(sorted(words, key=lambda pair: (pair[1][::-1], pair[0]))[:20]).encode())
    numbers = [getattr(math, name)(0.7) for name in ("sin", "cos", "exp", "log", "sqrt", "gamma", "erf")]
    digest.update(struct.pack("%dd" % len(numbers), *numbers))
    digest.update(zlib.compress(text.encode(), 6))
    digest.update(str(decimal.Decimal(2).sqrt() + decimal.Decimal("1e-20")).encode())
    digest.update(str(sum(fractions.Fraction(1, at) for at in range(1, 60))).encode())
    digest.update("\n".join(textwrap.wrap(text, 50)).encode())
    digest.update(str(3**500 % 10**97).encode())
    return digest.hexdigest()


first, odd = None, 0
while True:
    is_last = os.path.exists(os.environ["END_OF_TORTURE"])
    result = work()
    first = first or result
    odd += result != first
    if is_last:
        break
print("a round comes to", first)
print("all rounds were alike" if odd == 0 else "%d rounds were not alike" % odd)
sys.exit(odd != 0)
