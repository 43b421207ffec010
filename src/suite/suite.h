/* src/suite/suite.h - a suite: programs, how to run them, and what is right.
 * Read from a YAML file; docs/suite.md describes it. Texts may have {words} in
 * them, which suite_expand replaces. Plain data, owned through its arena. */
#ifndef SUITE_SUITE_H
#define SUITE_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/status.h"
#include "config/yml.h"
#include "session/launch_filter.h"

typedef struct suite_texts {
    const char **text;
    size_t count;
} suite_texts;

/* What {size} stands for. */
typedef struct suite_size {
    const char *name; /* "small" */
    suite_texts is;   /* arguments; of a plain name, the name */
} suite_size;

/* A file that is made must be as another; `made` NULL is standard output. */
typedef struct suite_compare {
    const char *made, *wanted;
} suite_compare;

typedef struct suite_expect {
    bool any_status;
    bool any_memory; /* what is in memory at its end depends on the order of
                        threads: comparisons leave it alone */
    int status;      /* of its exit */
    /* Regular expressions, NULL: anything. */
    const char *out, *err, *out_not;
    const char *ignore; /* lines of files that match are not compared */
    suite_compare *files;
    size_t file_count;
    bool words; /* compare words, and numbers with the tolerance; else bytes */
    double tolerance;
} suite_expect;

typedef struct suite_program {
    const char *name, *about;
    suite_texts run; /* arguments; one text for a shell if `shell` */
    bool shell;
    bool plain;                /* no {words} in `run` */
    const char *build;         /* command for a shell, NULL: none */
    const char *folder;        /* to run in */
    const char *input;         /* file on standard input, NULL: nothing */
    suite_texts inputs;        /* files that it reads and `run` does not name */
    const char *from;          /* where it comes from; NULL: not told */
    launch_filter_rule *timed; /* launches; none: all */
    size_t timed_count;
    suite_texts env;   /* NAME=VALUE */
    suite_size *sizes; /* none: it has only one */
    size_t size_count;
    suite_texts tags;
    unsigned timeout_s;
    suite_expect expect;
} suite_program;

/* {NAME} in texts, besides those of all suites. */
typedef struct suite_named {
    const char *name, *value;
} suite_named;

typedef struct suite {
    arena *mem;
    const suite_named *words; /* of the file's own */
    size_t word_count;
    const char *path, *folder; /* absolute */
    const char *name, *about;
    const char *build; /* before all programs, for a shell, NULL: none */
    suite_program *programs;
    size_t count;
} suite;

/* Reads `path`, or suite.yaml in it if it is a folder. On ST_OK the caller
 * frees *out; otherwise errors with their places are in `dg`. */
status suite_read(const char *path, diag *dg, suite **out);
/* The same of a text; `path` names it. */
status suite_read_text(const char *path, const char *text, size_t size,
                       diag *dg, suite **out);
/* What files of other kinds have, whose programs are described as here. */
typedef struct suite_other {
    const char *const *keys;  /* at its top besides a suite's; NULL ends them */
    const suite_named *words; /* borrowed */
    size_t word_count;
} suite_other;
/* The same of the tree of such a file, which need not have programs. */
status suite_read_tree(const char *path, const yml_node *root,
                       const suite_other *more, diag *dg, suite **out);
void suite_free(suite *s); /* NULL is fine */

const suite_program *suite_find(const suite *s, const char *name);

/* The programs named, or all without names, that have one of the tags if there
 * are any; in the order of the names or of the suite, each once, in the suite's
 * arena. ST_USAGE: one error in `dg`. */
status suite_choose(const suite *s, suite_texts names, suite_texts tags,
                    diag *dg, const suite_program ***chosen, size_t *count);

/* NULL: the program has sizes, but none of that name. */
const suite_size *suite_size_find(const suite_program *p, const char *name);

/* Has it a {draw} in what it runs, so that it can be run with other random
 * inputs? */
bool suite_is_drawn(const suite_program *p);

/* True if a {word} begins at `at`: lower-case letters between braces, not
 * behind a $, which is a shell's; its name without the braces. */
bool suite_word(const char *text, const char *at, const char **name,
                size_t *length);

/* What {words} stand for; {name} is the program's. */
typedef struct suite_values {
    const char *dir;   /* the suite's folder */
    const char *build; /* where things are built */
    const char *tmp;   /* a folder for this run only */
    const char *name;
    const suite_size *size;
    unsigned draw;            /* from 1 on; 0: the first, too */
    const suite_named *words; /* of the file's own */
    size_t word_count;
} suite_values;

/* Those of a program, or of the suite where `p` is NULL; {tmp} stays open. */
suite_values suite_values_of(const suite *s, const suite_program *p,
                             const char *build);

/* A copy in the arena with the values in it. */
const char *suite_expand(arena *mem, const char *text, const suite_values *v);
/* The same of a list; a text that is {size} and nothing else becomes as many as
 * that has. NULL at its end. */
const char **suite_expand_all(arena *mem, suite_texts texts,
                              const suite_values *v);

#endif
