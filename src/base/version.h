/* src/base/version.h - which Heddle this is. The command defines both for
 * itself (cmake/commit.cmake); in tests and in the driver, which must not be
 * made anew for every commit, nobody knows the commit. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

/* The short hash of the commit that was built, with "-dirty" behind it if files
 * differed from it; "unknown" if nobody knows. */
extern const char heddle_commit[];

/* "0.2.0+1a2b3c4d5e"; without what is behind the version if nobody knows. */
extern const char heddle_version[];

#endif
