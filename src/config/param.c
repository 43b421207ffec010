/* src/config/param.c - the tables behind the registry. */
#include "config/param.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/must.h"
#include "base/suggest.h"

/* One array of choices per enumeration. */
/* clang-format off */
#define ENUM_BEGIN(type) static const config_choice choices_##type[] = {
#define VALUE(type, id, text, help) [CFG_##id] = {text, help},
#define ENUM_END(type) };
#include "config/enums.def"
#undef ENUM_BEGIN
#undef VALUE
#undef ENUM_END
/* clang-format on */

#define PATH(sec, id) #sec "." #id, sizeof #sec "." #id
#define NUMBER(kind, sec, id, min, max, unit, source, help)                    \
    {PATH(sec, id), #id,    kind, offsetof(config, sec.id), min, max, NULL, 0, \
     unit,          source, help},

static const config_param params[] = {
#define SECTION(path, id, help)
#define END(id)
#define INT(sec, id, def, min, max, unit, source, help)                        \
    NUMBER(CONFIG_INT, sec, id, min, max, unit, source, help)
#define POW2(sec, id, def, min, max, unit, source, help)                       \
    NUMBER(CONFIG_POW2, sec, id, min, max, unit, source, help)
#define SIZE(sec, id, def, min, max, unit, source, help)                       \
    NUMBER(CONFIG_SIZE, sec, id, min, max, unit, source, help)
#define BOOL(sec, id, def, source, help)                                       \
    NUMBER(CONFIG_BOOL, sec, id, 0, 1, "", source, help)
#define ENUM(sec, id, type, def, source, help)                                 \
    {PATH(sec, id),                                                            \
     #id,                                                                      \
     CONFIG_ENUM,                                                              \
     offsetof(config, sec.id),                                                 \
     0,                                                                        \
     COUNTOF(choices_##type) - 1,                                              \
     choices_##type,                                                           \
     COUNTOF(choices_##type),                                                  \
     "",                                                                       \
     source,                                                                   \
     help},
#define TEXT(sec, id, def, source, help)                                       \
    NUMBER(CONFIG_STRING, sec, id, 0, CONFIG_TEXT - 1, "", source, help)
#include "config/params.def"
#undef SECTION
#undef END
#undef INT
#undef POW2
#undef SIZE
#undef BOOL
#undef ENUM
#undef TEXT
};

static const config_section sections[] = {
#define SECTION(path, id, help) {#path, help},
#define END(id)
#define INT(sec, id, def, min, max, unit, source, help)
#define POW2(sec, id, def, min, max, unit, source, help)
#define SIZE(sec, id, def, min, max, unit, source, help)
#define BOOL(sec, id, def, source, help)
#define ENUM(sec, id, type, def, source, help)
#define TEXT(sec, id, def, source, help)
#include "config/params.def"
#undef SECTION
#undef END
#undef INT
#undef POW2
#undef SIZE
#undef BOOL
#undef ENUM
#undef TEXT
};

size_t config_param_count(void) { return COUNTOF(params); }

const config_param *config_param_get(size_t i)
{
    MUST(i < COUNTOF(params));
    return &params[i];
}

const config_param *config_param_find(const char *path)
{
    size_t bytes = strlen(path) + 1;

    for (size_t i = 0; i < COUNTOF(params); i++)
        if (params[i].bytes == bytes && !memcmp(params[i].path, path, bytes))
            return &params[i];
    return NULL;
}

size_t config_section_count(void) { return COUNTOF(sections); }

const config_section *config_section_get(size_t i)
{
    MUST(i < COUNTOF(sections));
    return &sections[i];
}

const config_section *config_section_find(const char *path)
{
    for (size_t i = 0; i < COUNTOF(sections); i++)
        if (!strcmp(sections[i].path, path))
            return &sections[i];
    return NULL;
}

/* True if `path` is `section`, a dot, and one more name. */
static bool is_member(const char *path, const char *section, size_t n)
{
    if (n && (strncmp(path, section, n) || path[n] != '.'))
        return false;
    return !strchr(path + (n ? n + 1 : 0), '.');
}

/* Among the members of the section that `path` names, by their last part. */
static const char *suggest_member(const char *path)
{
    const char *dot = strrchr(path, '.'), *names[COUNTOF(params)];
    const char *paths[COUNTOF(params)], *near;
    size_t n = dot ? (size_t)(dot - path) : 0, count = 0;

    for (size_t i = 0; i < COUNTOF(params) + COUNTOF(sections); i++) {
        const char *p = i < COUNTOF(params)
                            ? params[i].path
                            : sections[i - COUNTOF(params)].path;
        const char *last = strrchr(p, '.');

        if (!is_member(p, path, n) || count == COUNTOF(names))
            continue;
        paths[count] = p;
        names[count++] = last ? last + 1 : p;
    }
    near = suggest_nearest(dot ? dot + 1 : path, names, count);
    for (size_t i = 0; i < count; i++)
        if (names[i] == near)
            return paths[i];
    return NULL;
}

const char *config_param_suggest(const char *path)
{
    const char *dot = strrchr(path, '.'), *id = dot ? dot + 1 : path;
    const char *paths[COUNTOF(params)], *near = suggest_member(path);

    if (near)
        return near;
    for (size_t i = 0; i < COUNTOF(params); i++) /* in another section */
        if (!strcmp(params[i].id, id))
            return params[i].path;
    for (size_t i = 0; i < COUNTOF(params); i++)
        paths[i] = params[i].path;
    return suggest_nearest(path, paths, COUNTOF(paths));
}

_Static_assert(sizeof(cfg_unit) == sizeof(unsigned), "enums are unsigned");

uint64_t config_number(const config *cfg, const config_param *p)
{
    const unsigned char *at = (const unsigned char *)cfg + p->offset;
    unsigned u;
    uint64_t v;
    bool b;

    switch (p->kind) {
    case CONFIG_INT:
    case CONFIG_POW2:
    case CONFIG_ENUM:
        memcpy(&u, at, sizeof u);
        return u;
    case CONFIG_SIZE:
        memcpy(&v, at, sizeof v);
        return v;
    case CONFIG_BOOL:
        memcpy(&b, at, sizeof b);
        return b;
    case CONFIG_STRING:
        break;
    }
    return 0;
}

const char *config_text(const config *cfg, const config_param *p)
{
    MUST(p->kind == CONFIG_STRING);
    return (const char *)cfg + p->offset;
}

void config_value(const config *cfg, const config_param *p, strbuf *out)
{
    uint64_t v = config_number(cfg, p);

    switch (p->kind) {
    case CONFIG_INT:
    case CONFIG_POW2:
    case CONFIG_SIZE:
        strbuf_printf(out, "%" PRIu64, v);
        break;
    case CONFIG_BOOL:
        strbuf_puts(out, v ? "true" : "false");
        break;
    case CONFIG_ENUM:
        MUST(v < p->choice_count);
        strbuf_puts(out, p->choices[v].text);
        break;
    case CONFIG_STRING:
        strbuf_printf(out, "\"%s\"", config_text(cfg, p));
        break;
    }
}

void config_put_number(config *cfg, const config_param *p, uint64_t v)
{
    unsigned char *at = (unsigned char *)cfg + p->offset;
    unsigned u = (unsigned)v;
    bool b = v != 0;

    MUST(p->kind != CONFIG_STRING && v >= p->min && v <= p->max);
    if (p->kind == CONFIG_SIZE)
        memcpy(at, &v, sizeof v);
    else if (p->kind == CONFIG_BOOL)
        memcpy(at, &b, sizeof b);
    else
        memcpy(at, &u, sizeof u);
}

/* Digits, perhaps 0x; *rest is what follows. False if there are none or too
 * many. */
static bool digits(const char *s, uint64_t *out, const char **rest)
{
    unsigned base = 10;
    uint64_t v = 0;
    bool any = false;

    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        base = 16;
        s += 2;
    }
    for (;; s++) {
        unsigned d = 99;

        if (*s >= '0' && *s <= '9')
            d = (unsigned)(*s - '0');
        else if ((*s | 32) >= 'a' && (*s | 32) <= 'f')
            d = (unsigned)((*s | 32) - 'a') + 10;
        if (d >= base)
            break;
        if (__builtin_mul_overflow(v, base, &v) ||
            __builtin_add_overflow(v, d, &v))
            return false;
        any = true;
    }
    *rest = s;
    *out = v;
    return any;
}

/* "1401", "1401MHz", "1.401GHz" in kHz. */
static bool read_khz(const char *s, uint64_t *out)
{
    static const struct {
        const char *text;
        uint64_t khz;
    } suffix[] = {{"", 1}, {"kHz", 1}, {"MHz", 1000}, {"GHz", 1000000}};
    const char *rest;
    uint64_t whole, part = 0, scale = 1;

    if (!digits(s, &whole, &rest))
        return false;
    if (*rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9' && scale < 1000000; rest++) {
            part = part * 10 + (uint64_t)(*rest - '0');
            scale *= 10;
        }
    for (size_t i = 0; i < COUNTOF(suffix); i++) {
        uint64_t khz = suffix[i].khz;

        if (strcmp(rest, suffix[i].text) || whole > UINT64_MAX / khz - 1 ||
            part * khz % scale)
            continue;
        *out = whole * khz + part * khz / scale;
        return true;
    }
    return false;
}

/* "49152", "0xc000", "48K". */
bool config_read_number(const config_param *p, const char *s, uint64_t *out)
{
    static const char letters[] = "KMGT";
    const char *rest, *letter;
    unsigned shift;

    if (!strcmp(p->unit, "kHz"))
        return read_khz(s, out);
    if (!digits(s, out, &rest))
        return false;
    if (!*rest)
        return true;
    letter = strchr(letters, *rest);
    if (rest[1] || !letter || strcmp(p->unit, "byte"))
        return false;
    shift = 10 * (unsigned)(letter - letters + 1);
    if (*out > UINT64_MAX >> shift)
        return false;
    *out <<= shift;
    return true;
}

static void put_choices(const config_param *p, const char *text, strbuf *why)
{
    const char *names[32], *near;

    MUST(p->choice_count <= COUNTOF(names));
    strbuf_printf(why, "%s must be ", p->path);
    for (size_t i = 0; i < p->choice_count; i++) {
        names[i] = p->choices[i].text;
        strbuf_printf(why, "%s%s",
                      i == 0                    ? ""
                      : i + 1 < p->choice_count ? ", "
                                                : " or ",
                      names[i]);
    }
    strbuf_printf(why, ", not '%s'", text);
    near = suggest_nearest(text, names, p->choice_count);
    if (near)
        strbuf_printf(why, " (did you mean '%s'?)", near);
}

static bool set_text_param(config *cfg, const config_param *p, const char *text,
                           strbuf *why)
{
    size_t n = strlen(text);

    if (n > p->max) {
        strbuf_printf(why, "%s must have at most %" PRIu64 " characters",
                      p->path, p->max);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < ' ' || strchr("\"\\\177", text[i])) {
            strbuf_printf(why,
                          "%s must not contain quotes, backslashes or "
                          "control characters",
                          p->path);
            return false;
        }
    }
    memset((char *)cfg + p->offset, 0, CONFIG_TEXT);
    memcpy((char *)cfg + p->offset, text, n);
    return true;
}

static bool set_number_param(config *cfg, const config_param *p,
                             const char *text, strbuf *why)
{
    const char *unit = p->unit[0] ? p->unit : "number";
    uint64_t v;

    if (!config_read_number(p, text, &v)) {
        strbuf_printf(why, "%s must be a whole number (%s), not '%s'", p->path,
                      unit, text);
        return false;
    }
    if (v < p->min || v > p->max) {
        strbuf_printf(why, "%s must be %" PRIu64 " to %" PRIu64 " (%s), not %s",
                      p->path, p->min, p->max, unit, text);
        return false;
    }
    if (p->kind == CONFIG_POW2 && (v & (v - 1))) {
        strbuf_printf(why, "%s must be a power of two, not %s", p->path, text);
        return false;
    }
    config_put_number(cfg, p, v);
    return true;
}

bool config_put(config *cfg, const config_param *p, const char *text,
                strbuf *why)
{
    if (!*text && p->kind != CONFIG_STRING) {
        strbuf_printf(why, "%s needs a value", p->path);
        return false;
    }
    switch (p->kind) {
    case CONFIG_INT:
    case CONFIG_POW2:
    case CONFIG_SIZE:
        return set_number_param(cfg, p, text, why);
    case CONFIG_BOOL:
        if (!strcmp(text, "true") || !strcmp(text, "false")) {
            config_put_number(cfg, p, text[0] == 't');
            return true;
        }
        strbuf_printf(why, "%s must be true or false, not '%s'", p->path, text);
        return false;
    case CONFIG_ENUM:
        for (size_t i = 0; i < p->choice_count; i++) {
            if (!strcmp(text, p->choices[i].text)) {
                config_put_number(cfg, p, i);
                return true;
            }
        }
        put_choices(p, text, why);
        return false;
    case CONFIG_STRING:
        return set_text_param(cfg, p, text, why);
    }
    return false;
}
