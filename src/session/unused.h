/* src/session/unused.h - why a program used no OpenCL: a look at its file and
 * at the loader through which it would find the driver. */
#ifndef SESSION_UNUSED_H
#define SESSION_UNUSED_H

/* Half a sentence, to be freed. `program` is looked for as a shell does, a
 * relative path from `folder` on, NULL: from where we are. */
char *unused_why(const char *program, const char *folder);

#endif
