"""What is shipped exports only names of its own, and what it pulls in shares none with TensorFlow but known ones.

    exported_symbols_test.py LIBFERMATA [PLUGIN TENSORFLOW_LIBRARY...]

The plug-in is opened with RTLD_DEEPBIND, so that a shared name does no harm; a new one is still worth knowing, since
AddressSanitizer and other ways of loading do without.
"""
# report CU-05
import re
import subprocess
import sys

# Part of the system's C and C++ runtime, which everybody shares on purpose.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux.*|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|asan|ubsan|tsan|lsan))\.so|^linux-vdso")

# LevelDB compresses with snappy, and TensorFlow carries a snappy of its own.
KNOWN_SHARED = re.compile(r"^(_ZN[KRVO]*|_ZT[ISV]N?)6snappy")
# Instantiated templates of the standard library, the same code wherever they come from.
STANDARD = re.compile(r"^_Z(N[KRVO]*|T[ISV]N?|GVN[KRVO]*|Z?N?K?)?(S[tabsiod]|9__gnu_cxx)")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported(library):
    names = (line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines() if line.split())
    return {name.split("@")[0] for name in names}


def pulled_in(library):
    """The libraries that the loader opens with this one, beside the system's."""
    found = re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", library), re.MULTILINE)
    return [path for name, path in found if not SYSTEM.search(name)]


def show(names):
    return "\n".join("  " + line for line in run("c++filt", *sorted(names)[:20]).splitlines())


def check(what, names):
    if names:
        sys.exit(f"{what}:\n{show(names)}")
    print("ok, none: " + what)


def main():
    library, *others = sys.argv[1:]
    plugin, tensorflow = others[:1], others[1:]
    ours = exported(library)
    if not ours:
        sys.exit(f"{library} exports nothing")
    check("exported by libfermata.so, not of namespace fermata", {name for name in ours if "fermata" not in name})
    if not plugin:
        return
    factory = exported(plugin[0])
    check("exported by the plug-in, not its factory", {name for name in factory if not name.startswith("fermata_")})
    theirs = set().union(*(exported(path) for path in tensorflow))
    for path in [library, *pulled_in(library)]:
        shared = {name for name in exported(path) & theirs if not STANDARD.match(name)}
        check(f"exported by {path} and by TensorFlow, not known", {n for n in shared if not KNOWN_SHARED.match(n)})


if __name__ == "__main__":
    main()
