/* src/base/version.h - which Heddle this is. The command defines both for
 * itself (cmake/commit.cmake); tests and the driver are not rebuilt for every
 * commit, so there the commit is unknown. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* The short hash of the commit that was built, with "-dirty" behind it if files
 * differed from it; "unknown" in tests and in the driver. */
extern const char heddle_commit[];

/* "1.0.0+1a2b3c4d5e"; the version alone where the commit is unknown. */
extern const char version_text[];

#endif
