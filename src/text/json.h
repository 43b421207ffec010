/* src/text/json.h - JSON, written as it goes: objects, lists, values.
 * Numbers keep all their digits; what is no number becomes null, what is no
 * UTF-8 the replacement character. */
#ifndef TEXT_JSON_H
#define TEXT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *to;
    unsigned depth;
    bool first; /* nothing in the current object or list yet */
    bool flat;  /* all on one line; the caller's to set */
} json;

json json_start(FILE *to);
void json_end(json *j); /* a newline */

/* The version of the JSON of all commands: it grows when something is taken
 * away from it or means something else, not when something is added. */
enum { JSON_SCHEMA = 1 };

/* A document of a command: an object that begins with the schema and with what
 * wrote it, and its end. */
json json_document(FILE *to);
void json_document_end(json *j);

/* An object on one line of memory, in the caller's storage, which stays where
 * it is meanwhile: it is open from begin on; end returns its text, malloced. */
typedef struct json_memory {
    json is;
    char *text;
    size_t size;
} json_memory;

json *json_memory_begin(json_memory *m);
char *json_memory_end(json_memory *m);

/* `key` NULL inside a list. */
void json_open(json *j, const char *key, char bracket); /* '{' or '[' */
void json_close(json *j, char bracket);
void json_text(json *j, const char *key, const char *value); /* NULL: null */
void json_u64(json *j, const char *key, uint64_t value);
/* value / 1000, exactly: microseconds of nanoseconds. */
void json_thousandths(json *j, const char *key, uint64_t value);
void json_real(json *j, const char *key, double value);
void json_bool(json *j, const char *key, bool value);
/* JSON as it is; NULL: null. */
void json_raw(json *j, const char *key, const char *value);

#endif
