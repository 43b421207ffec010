/* src/opencl/program/link_units.h - what the units of a link define and use,
 * for messages about names that several define or none. It runs the compiler
 * for the text of each, so it is for links that have failed. Borrows the units.
 */
#ifndef OPENCL_PROGRAM_LINK_UNITS_H
#define OPENCL_PROGRAM_LINK_UNITS_H

#include "base/strbuf.h"
#include "opencl/program/compile.h"

typedef struct link_units link_units;

/* Their names are those of the programs. Takes no lock. */
link_units *link_units_new(const compile_file *units, size_t count);
void link_units_free(link_units *u); /* NULL is fine */

/* A line for each name that several units define; false: there is none. */
bool link_units_twice(const link_units *u, strbuf *log);

/* Where units use it: ": program 1 (<source>:3, in 'k')"; nothing if that
 * cannot be found. */
void link_units_users(const link_units *u, const char *name, size_t size,
                      strbuf *log);

#endif
