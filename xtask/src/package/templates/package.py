# Copyright of the authors of whyperf
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)
"""The recipe of whyperf for Spack: `spack repo add` the folder two above, then `spack install whyperf`."""

from spack.package import *


class Whyperf(Package):
    """Says why, where and when a parallel program is slow, while it runs."""

    url = "@URL@"

    license("Apache-2.0 OR MIT")

    version("@VERSION@", sha256="@SHA256@")

    depends_on("c", type="build")
    depends_on("rust@@RUST@:", type="build")

    conflicts("platform=darwin", msg="whyperf measures programs on Linux")
    requires("target=x86_64:", msg="whyperf measures programs on x86-64")

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        # The command and the library in one build, with man pages and completions beside them.
        cargo("run", "--package", "xtask", "--locked", "--", "package", "--into", prefix)
