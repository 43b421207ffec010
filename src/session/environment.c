#include "session/environment.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A name and a value, as an entry has them. */
typedef struct entry {
    const char *name;
    size_t length;
    bool before; /* += */
    const char *value;
} entry;

static entry read_entry(const char *text)
{
    size_t n = strcspn(text, "=");
    bool before = n && text[n] && text[n - 1] == '+';

    return (entry){text, n - before, before, text + n + (text[n] != 0)};
}

static bool is_of(const entry *e, const char *text)
{
    entry other = read_entry(text);

    return e->length == other.length && !memcmp(e->name, other.name, e->length);
}

static bool has_name(const char *const *entries, const char *text)
{
    entry e = read_entry(text);

    for (size_t i = 0; entries && entries[i]; i++)
        if (is_of(&e, entries[i]))
            return true;
    return false;
}

static size_t count(const char *const *list)
{
    size_t n = 0;

    while (list && list[n])
        n++;
    return n;
}

/* What stands before which `e` goes; NULL or "": nothing. */
static const char *value_behind(const entry *e, const char *const *ours,
                                const char *const *entries)
{
    for (size_t i = count(entries); i-- > 0;)
        if (is_of(e, entries[i]) && !read_entry(entries[i]).before)
            return read_entry(entries[i]).value;
    for (size_t i = 0; ours[i]; i++)
        if (is_of(e, ours[i]))
            return read_entry(ours[i]).value;
    return NULL;
}

static char *join(const entry *e, const char *behind, arena *mem)
{
    bool any = behind && *behind;

    return arena_printf(mem, "%.*s=%s%s%s", (int)e->length, e->name, e->value,
                        any ? ":" : "", any ? behind : "");
}

/* Is there a += that takes in this value? */
static bool is_taken_in(const entry *e, const char *const *entries)
{
    for (size_t i = 0; entries[i]; i++)
        if (is_of(e, entries[i]) && read_entry(entries[i]).before)
            return true;
    return false;
}

char **environment_make(char *const *ours, const char *const *entries,
                        arena *mem)
{
    const char *const *old = (const char *const *)ours;
    char **env = ARENA_ARRAY(mem, char *, count(old) + count(entries) + 1);
    size_t n = 0;

    for (size_t i = 0; old[i]; i++)
        if (!has_name(entries, old[i]))
            env[n++] = ours[i];
    for (size_t i = 0; entries && entries[i]; i++) {
        entry e = read_entry(entries[i]);

        if (e.before)
            env[n++] = join(&e, value_behind(&e, old, entries), mem);
        else if (!is_taken_in(&e, entries))
            env[n++] = (char *)(uintptr_t)entries[i];
    }
    return env;
}
