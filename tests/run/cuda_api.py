"""cuda_api.py SOURCE INCLUDE OUT - writes OUT/ours.c and OUT/vendor.cc, which
print sizes, offsets and values of the types of the CUDA runtime API: as
SOURCE/src/cuda declares them, and as the vendor's headers in INCLUDE do. Prints
the generation of those headers."""
import os
import re
import sys

source, include, out = sys.argv[1:]
GENERATIONS = {"ALL": (11, 12, 13), "OLD": (11, 12), "NEW": (12, 13)}
# Of the headers that programs include.
HEADERS = ("driver_types.h", "texture_types.h", "surface_types.h",
           "vector_types.h", "cuda_runtime_api.h")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8", errors="replace") as f:
        text = re.sub(r"/\*.*?\*/", " ", f.read(), flags=re.S)
    return re.sub(r"//[^\n]*", " ", text)


def declarations(body):
    """Splits it at semicolons outside of braces."""
    depth, part = 0, ""
    for c in body:
        depth += (c == "{") - (c == "}")
        if c == ";" and not depth:
            yield part.strip()
            part = ""
        else:
            part += c


def members(body):
    """The paths of all members, but what is reserved or fills gaps."""
    for d in declarations(body):
        if "{" in d:
            name = d[d.rindex("}") + 1:].strip()
            inner = [name] + [name + "." + m for m in
                              members(d[d.index("{") + 1:d.rindex("}")])]
        else:
            inner = [re.findall(r"\w+", re.sub(r"\[.*?\]", "", p))[-1]
                     for p in d.split(",")]
        yield from (m for m in inner
                    if not re.search(r"\b(reserved|padding)\b", m))


def structures(text):
    for m in re.finditer(r"typedef struct (\w+) \{(.*?)\n\} (\w+);", text,
                         re.S):
        yield m.group(3), list(members(m.group(2)))


def properties(generation):
    """The members of cudaDeviceProp: type, name, count."""
    rows = re.findall(r"FIELD\((\w+), (\w+), (\w+), (\S*), [^)]*\)",
                      read(source, "src/cuda/device/properties.def"))
    for who, kind, name, count in rows:
        only = GENERATIONS.get(who) or (int(who[-2:]),)
        if generation in only:
            yield kind, name, count.rstrip(",")


vendor = "".join(read(include, h) for h in HEADERS)
generation = int(re.search(r"CUDART_VERSION\s+(\d+)", vendor).group(1)) // 1000
known = set(re.findall(r"\w+", vendor))
api = read(source, "src/cuda/api.h")
errors = read(source, "src/cuda/errors.def")
fields = list(properties(generation))
lines = ["S(cudaDeviceProp)"]
lines += ["F(cudaDeviceProp, %s)" % name for _, name, _ in fields
          if name != "reserved"]
if generation == 13:  # the one that api.h has whole
    for name, paths in structures(api):
        if name in known:
            lines += ["S(%s)" % name] + ["F(%s, %s)" % (name, p) for p in paths]
values = re.findall(r"^\s+(cuda\w+) = ", api, re.M)
values += ["cuda" + e for e in re.findall(r"ERROR\(\s*\d+,\s*(\w+)", errors)]
lines += ["V(%s)" % v for v in values if v in known]

MAIN = r"""
#include <stddef.h>
#include <stdio.h>
#define S(s) printf("%%s: %%zu bytes\n", #s, sizeof(s));
#define F(s, f)                                                              \
    printf("%%s.%%s: %%zu bytes at %%zu\n", #s, #f, sizeof(((s *)0)->f),     \
           offsetof(s, f));
#define V(v) printf("%%s: %%lld\n", #v, (long long)(v));
int main(void)
{
    %s
    return 0;
}
"""
with open(os.path.join(out, "ours.c"), "w", encoding="utf-8") as f:
    f.write('#include "cuda/api.h"\ntypedef struct cudaDeviceProp {\n')
    f.writelines("    %s %s%s;\n" % field for field in fields)
    f.write("} cudaDeviceProp;\n" + MAIN % "\n    ".join(lines))
with open(os.path.join(out, "vendor.cc"), "w", encoding="utf-8") as f:
    f.write("#include <cuda_runtime_api.h>\n" + MAIN % "\n    ".join(lines))
print(generation)
