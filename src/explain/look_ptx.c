/* Lines of PTX that are of a kernel, and the source lines that they come from.
 * The text is what the compiler took; what is odd in it is left out here, never
 * refused. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "explain/look_code.h"

enum { FILES = 1024, PATH = 1024 };

typedef struct ptx_reader {
    const look_ptx *is;
    arena *mem;
    uint16_t file[FILES]; /* of each number of .file: as in isa_inst */
    look_text *row;
    size_t count, room;
    const char *function; /* whose head or body this is; NULL: none that
                             belongs to the kernel */
    bool begins;          /* with the next line */
    bool is_kernel;
    unsigned depth; /* of braces */
    uint16_t at_file;
    uint32_t at_line;
    size_t before; /* first row of the function that no .loc has come for */
    bool comment;  /* between slash and star */
    bool found;    /* the kernel */
    bool located;  /* a line has a line of source */
} ptx_reader;

static const char *skip_blanks(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

static bool begins_with(const char *s, const char *word)
{
    size_t n = strlen(word);

    return !strncmp(s, word, n) && (s[n] == ' ' || s[n] == '\t');
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

/* ---- .file ---- */

/* The next text between quotes, cut to what there is room for. */
static const char *quoted(const char *s, char to[PATH])
{
    size_t n = 0;

    s = strchr(s, '"');
    if (!s)
        return NULL;
    for (s++; *s && *s != '"'; s++)
        if (n + 1 < PATH)
            to[n++] = *s;
    to[n] = 0;
    return *s ? s + 1 : NULL;
}

/* Compilers put "./" before what programs have without. */
static const char *without_here(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return path;
}

/* .file 1 "path", or .file 1 "folder" "path". */
static void read_file(ptx_reader *r, const char *s)
{
    char path[2 * PATH], second[PATH];
    char *rest;
    unsigned long number = strtoul(s, &rest, 10);
    const char *after = number < FILES ? quoted(rest, path) : NULL;

    if (!after)
        return;
    if (*skip_blanks(after) == '"' && quoted(after, second)) {
        size_t n = strlen(path);

        if (*second != '/' && n && strcmp(path, ".") != 0)
            path[n++] = '/';
        else
            n = 0;
        strcpy(path + n, second);
    }
    for (uint32_t i = 0; i < r->is->path_count; i++)
        if (!strcmp(without_here(r->is->paths[i]), without_here(path)))
            r->file[number] = (uint16_t)(i + 1);
}

/* .file stands at the end of what LLVM writes. */
static void read_files(ptx_reader *r)
{
    for (const char *s = r->is->text; s; s = strchr(s, '\n')) {
        s += *s == '\n';
        s = skip_blanks(s);
        if (begins_with(s, ".file")) {
            char line[3 * PATH];
            size_t n = strcspn(s, "\n");

            n = n < sizeof line ? n : sizeof line - 1;
            memcpy(line, s, n);
            line[n] = 0;
            read_file(r, line + 5);
        }
    }
}

/* ---- Functions ---- */

/* The name behind .entry, or behind .func and what it returns. */
static const char *name_of(ptx_reader *r, const char *s)
{
    size_t n = 0;

    s = skip_blanks(s);
    if (*s == '(') {
        s += strcspn(s, ")");
        s = skip_blanks(s + (*s == ')'));
    }
    while (is_name(s[n]))
        n++;
    return arena_strndup(r->mem, s, n);
}

static bool is_called(const ptx_reader *r, const char *name)
{
    const isa_kernel *k = r->is->code;

    for (uint32_t i = 0; k && i < k->function_count; i++)
        if (!strcmp(k->functions[i].name, name))
            return true;
    return false;
}

/* A head: of the kernel, of a function that it calls, or of something else. */
static void read_head(ptx_reader *r, const char *line)
{
    const char *entry = strstr(line, ".entry"), *func = strstr(line, ".func");
    const char *name;

    if (r->depth || (!entry && !func) || begins_with(skip_blanks(line), "//"))
        return;
    name = name_of(r, entry ? entry + 6 : func + 5);
    r->is_kernel = entry && !strcmp(name, r->is->kernel);
    r->found |= r->is_kernel;
    r->function = r->is_kernel || (!entry && is_called(r, name)) ? name : NULL;
    r->begins = r->function != NULL;
    r->before = r->count;
    r->at_file = 0;
}

/* ---- Lines ---- */

static void read_location(ptx_reader *r, const char *s)
{
    char *rest;
    unsigned long file = strtoul(s, &rest, 10);
    unsigned long line = strtoul(rest, NULL, 10);

    if (file >= FILES || !line)
        return;
    r->at_file = r->file[file];
    r->at_line = (uint32_t)line;
}

/* Does it do something: no label, directive or comment? */
static bool is_instruction(const char *s)
{
    size_t n = 0;

    while (is_name(s[n]))
        n++;
    return *s == '@' || (isalpha((unsigned char)*s) && s[n] != ':');
}

/* Braces outside of comments and texts. */
static void count_braces(ptx_reader *r, const char *s)
{
    bool text = false;

    for (; *s; s++) {
        if (r->comment) {
            r->comment = !(s[0] == '*' && s[1] == '/');
        } else if (*s == '"') {
            text = !text;
        } else if (!text && s[0] == '/' && s[1] == '*') {
            r->comment = true;
        } else if (!text && s[0] == '/' && s[1] == '/') {
            return;
        } else if (!text && *s == '{') {
            r->depth++;
        } else if (!text && *s == '}' && r->depth) {
            r->depth--;
            if (!r->depth)
                r->function = NULL;
        } else if (!text && *s == ';' && !r->depth) {
            r->function = NULL; /* a declaration */
        }
    }
}

static void add_row(ptx_reader *r, const char *line, uint32_t number)
{
    const char *s = skip_blanks(line);
    const char *begins =
        r->begins && (!r->is_kernel || r->count) ? r->function : NULL;
    unsigned of = 0;

    if (r->at_file && is_instruction(s))
        of = r->is->line_of(r->is->arg, r->at_file, r->at_line);
    r->located |= of != 0;
    ARENA_GROW(r->mem, r->row, r->count, r->room);
    r->row[r->count++] = (look_text){
        .text = line, .function = begins, .number = number, .line = of};
    r->begins = false;
}

static void read_line(ptx_reader *r, const char *line, uint32_t number)
{
    const char *s = skip_blanks(line);
    size_t row = r->count;
    bool mine;

    if (!r->comment)
        read_head(r, line);
    mine = r->function != NULL;
    if (begins_with(s, ".loc"))
        read_location(r, s + 4);
    else if (mine)
        add_row(r, line, number);
    count_braces(r, line);
    /* A declaration of what comes later. */
    if (mine && !r->function && !strchr(line, '}'))
        r->count = r->before <= row ? r->before : row;
}

look_text *look_ptx_lines(const look_ptx *x, arena *mem, size_t *count)
{
    ptx_reader r = {.is = x, .mem = mem};
    uint32_t number = 0;

    read_files(&r);
    for (const char *s = x->text; s && *s;) {
        size_t n = strcspn(s, "\n");
        size_t length = n;

        while (length && strchr(" \t\r", s[length - 1]))
            length--;
        read_line(&r, arena_strndup(mem, s, length), ++number);
        s += n + (s[n] == '\n');
    }
    *count = r.found && r.located ? r.count : 0;
    return r.row;
}
