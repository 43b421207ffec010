/* src/base/kind.c - tables of first bytes, suffixes and words. */
#include "base/kind.h"

#include <string.h>

#include "base/must.h"
#include "base/shell.h"
#include "base/strbuf.h"

#define LOOK_MOST ((size_t)64 << 10) /* so far words are looked for */

static const struct {
    const char *bytes;
    size_t size;
    file_kind kind;
} starts[] = {
#define STARTS(text, kind)                                                     \
    {                                                                          \
        text, sizeof text - 1, FILE_##kind                                     \
    }
    STARTS("\177ELF", ELF),
    STARTS("\x50\xed\x55\xba", FATBIN),
    STARTS("BC\xc0\xde", BITCODE),
    STARTS("\xde\xc0\x17\x0b", BITCODE),
    STARTS("\x03\x02\x23\x07", SPIRV),
    STARTS("\x07\x23\x02\x03", SPIRV),
    STARTS("HOBJ", OBJECT),
    STARTS("SQLite format 3", RESULTS),
    STARTS("\x1f\x8b", GZIP),
    STARTS("\xfd"
           "7zXZ",
           XZ),
    STARTS("\x28\xb5\x2f\xfd", ZSTD),
    STARTS("BZh", BZIP2),
    STARTS("PK\x03\x04", ZIP),
    STARTS("!<arch>\n", ARCHIVE),
    STARTS("\x93NUMPY", NUMPY),
    STARTS("%PDF", PDF),
    STARTS("\x89PNG", PICTURE),
    STARTS("\xff\xd8\xff", PICTURE),
    STARTS("GIF8", PICTURE),
    STARTS("MZ", WINDOWS),
    STARTS("#!", SCRIPT),
    STARTS("\xff\xfe", UTF16),
    STARTS("\xfe\xff", UTF16),
    STARTS("<", HTML),
#undef STARTS
};

static const struct {
    const char *suffix;
    file_kind kind;
} suffixes[] = {
    {".cu", FILE_CUDA},   {".cuh", FILE_CUDA},  {".cl", FILE_OPENCL},
    {".c", FILE_C},       {".h", FILE_C},       {".cc", FILE_C},
    {".cpp", FILE_C},     {".cxx", FILE_C},     {".hpp", FILE_C},
    {".ll", FILE_IR},     {".html", FILE_HTML}, {".py", FILE_PYTHON},
    {".json", FILE_JSON},
};

/* In this order; with a line's start before it, the word begins one. */
static const struct {
    const char *word;
    file_kind kind;
} words[] = {
    {"__global__", FILE_CUDA},       {"__kernel ", FILE_OPENCL},
    {"\nkernel void ", FILE_OPENCL}, {"\n#include", FILE_C},
    {"\nint main", FILE_C},          {"\ntarget triple", FILE_IR},
    {"code for sm_", FILE_SASS},     {"\nlaunches:", FILE_LAUNCH},
    {"\nrows:", FILE_TRUTH},         {"\npoints:", FILE_TRUTH},
    {"\nprograms:", FILE_SUITE},     {"\naxes:", FILE_PLAN},
    {"\nextends:", FILE_CONFIG},     {"\n.version ", FILE_PTX},
    {"\n.kernel ", FILE_ASSEMBLY},
};

/* e_machine of CUDA. */
static bool is_cubin(const unsigned char *b, size_t size)
{
    return size >= 20 && b[18] == 190 && b[19] == 0;
}

/* From bytes that neither a kernel nor any other text begins with. */
static file_kind file_kind_of_bytes(const void *data, size_t size)
{
    const char *text = data;
    size_t blank = 0;

    while (blank < size && strchr(" \t\r\n", text[blank]) && text[blank])
        blank++;
    if (blank == size)
        return FILE_EMPTY;
    for (size_t i = 0; i < COUNTOF(starts); i++)
        if (size >= starts[i].size &&
            !memcmp(text, starts[i].bytes, starts[i].size))
            return starts[i].kind == FILE_ELF && is_cubin(data, size)
                       ? FILE_CUBIN
                       : starts[i].kind;
    if (text[blank] == '<')
        return FILE_HTML;
    return memchr(text, 0, size < LOOK_MOST ? size : LOOK_MOST) ? FILE_BINARY
                                                                : FILE_UNKNOWN;
}

static file_kind kind_of_name(const char *path)
{
    size_t n = strlen(path);

    for (size_t i = 0; i < COUNTOF(suffixes); i++) {
        size_t k = strlen(suffixes[i].suffix);

        if (n > k && !strcmp(path + n - k, suffixes[i].suffix))
            return suffixes[i].kind;
    }
    return FILE_UNKNOWN;
}

static bool text_has_word(const char *text, size_t size, const char *word)
{
    size_t n = strlen(word);

    return memmem(text, size, word, n) != NULL ||
           (word[0] == '\n' && size >= n - 1 && !memcmp(text, word + 1, n - 1));
}

file_kind file_kind_of(const char *path, const char *text, size_t size)
{
    file_kind k = file_kind_of_bytes(text, size);

    if (k == FILE_UNKNOWN)
        k = kind_of_name(path);
    if (size > LOOK_MOST)
        size = LOOK_MOST;
    for (size_t i = 0; i < COUNTOF(words) && k == FILE_UNKNOWN; i++)
        if (text_has_word(text, size, words[i].word))
            k = words[i].kind;
    if (k == FILE_UNKNOWN && (*text == '{' || *text == '['))
        k = FILE_JSON;
    return k == FILE_UNKNOWN ? FILE_TEXT : k;
}

const char *file_first_word(const char *text, size_t size)
{
    const char *end = text + size;

    while (text < end) {
        size_t left = (size_t)(end - text);

        if (*text == ' ' || (*text >= '\t' && *text <= '\r')) {
            text++;
        } else if (*text == '#' || (left >= 2 && !memcmp(text, "//", 2))) {
            const char *stop = memchr(text, '\n', left);

            text = stop ? stop : end;
        } else if (left >= 2 && !memcmp(text, "/*", 2)) {
            const char *stop = memmem(text + 2, left - 2, "*/", 2);

            text = stop ? stop + 2 : end;
        } else {
            break;
        }
    }
    return text;
}

static const char *word_of(file_kind k)
{
    for (size_t i = 0; i < COUNTOF(words); i++)
        if (words[i].kind == k)
            return words[i].word;
    return NULL;
}

bool file_kind_is_yaml(const char *path, const char *text, size_t size,
                       file_kind wanted, const char *name, diag *dg)
{
    file_kind k = file_kind_of(path, text, size);
    const char *own = word_of(wanted);

    if (k == wanted || k == FILE_TEXT || k == FILE_JSON ||
        ((k == FILE_LAUNCH || k == FILE_SUITE || k == FILE_PLAN ||
          k == FILE_TRUTH || k == FILE_CONFIG) &&
         own && text_has_word(text, size, own)))
        return true;
    file_kind_refuse(path, k, name, dg);
    return false;
}

/* `advice` with the file for {} and {.}. */
static void put_advice(const char *advice, const char *path, strbuf *out)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    size_t stem = dot && dot > path && (!slash || dot > slash + 1)
                      ? (size_t)(dot - path)
                      : strlen(path);

    for (const char *s = advice; *s; s++) {
        strbuf word = {0};

        if (!strncmp(s, "{}", 2)) {
            strbuf_puts(&word, path);
            s++;
        } else if (!strncmp(s, "{.}", 3)) {
            strbuf_printf(&word, "%.*s", (int)stem, path);
            s += 2;
        } else {
            strbuf_putc(out, *s);
        }
        if (word.text)
            shell_quote(word.text, out);
        strbuf_fini(&word);
    }
}

void file_kind_refuse(const char *path, file_kind k, const char *wanted,
                      diag *dg)
{
    static const struct {
        const char *what, *advice;
    } table[] = {
        [FILE_UNKNOWN] = {"it is something else", ""},
#define KIND(id, what, advice) [FILE_##id] = {what, advice},
#include "base/kind.def"
#undef KIND
    };
    strbuf advice = {0};

    if (*table[k].advice)
        strbuf_puts(&advice, "; ");
    put_advice(table[k].advice, path, &advice);
    diag_add(dg, DIAG_ERROR, path, 0, 0, 0, "this is no %s: %s%s", wanted,
             table[k].what, advice.text ? advice.text : "");
    strbuf_fini(&advice);
}
