/* src/ptx/link.h - modules that were compiled apart, made one program text.
 * Changes the modules: names, linkage, lines. */
#ifndef PTX_LINK_H
#define PTX_LINK_H

#include "base/diag.h"
#include "base/strbuf.h"
#include "ptx/ptx.h"

/* Appends the text of a module that has all of `part`, in this order:
 *   - what is .visible is one thing in all, and defined in one of them;
 *   - of .weak and .common definitions one stays, the .visible if there is one;
 *   - what has no linkage is its module's own: if others use its name it gets
 *     another, "name$part2" in the second;
 *   - files of .loc are counted on; sections of debug information are left out;
 *   - it is for the latest version and target of all.
 * ST_PROGRAM: they do not go together, errors in `dg`. `mem` is that of the
 * modules. */
status ptx_link(ptx_module *const *part, size_t count, arena *mem, diag *dg,
                strbuf *out);

#endif
