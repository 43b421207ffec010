#include "opencl/program/kernel_info.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CL/cl.h>

#include "base/alloc.h"
#include "base/must.h"

/* ---- Building ---- */

static void *grow_info_array(void *array, size_t count, size_t each)
{
    array = renew(array, (count + 1) * each, 1);
    memset((char *)array + count * each, 0, each);
    return array;
}

static kernel_infos *infos_new(void)
{
    kernel_infos *k = new0(1, sizeof *k);

    return k;
}

static kernel_info *add_kernel_info(kernel_infos *k, const char *name,
                                    size_t size)
{
    k->kernels = grow_info_array(k->kernels, k->count, sizeof *k->kernels);
    kernel_info *one = &k->kernels[k->count++];
    one->name = new_text_n(name, size);
    return one;
}

static arg_info *arg_at(kernel_info *k, unsigned i)
{
    while (k->arg_count <= i) {
        k->args = grow_info_array(k->args, k->arg_count, sizeof *k->args);
        k->args[k->arg_count++] =
            (arg_info){.address = CL_KERNEL_ARG_ADDRESS_PRIVATE,
                       .access = CL_KERNEL_ARG_ACCESS_NONE};
    }
    return &k->args[i];
}

void kernel_infos_free(kernel_infos *k)
{
    for (unsigned i = 0; k && i < k->count; i++) {
        kernel_info *one = &k->kernels[i];

        for (unsigned j = 0; j < one->arg_count; j++) {
            free(one->args[j].type);
            free(one->args[j].name);
        }
        free(one->args);
        free(one->name);
        free(one->vector);
    }
    if (k)
        free(k->kernels);
    free(k);
}

const kernel_info *kernel_infos_find(const kernel_infos *k, const char *name)
{
    for (unsigned i = 0; k && i < k->count; i++)
        if (!strcmp(k->kernels[i].name, name))
            return &k->kernels[i];
    return NULL;
}

/* ---- LLVM's metadata ---- */

/* "!7 = !{!"none", i32 1}": the lines by number. */
typedef struct nodes {
    const char **at; /* behind "!{"; NULL: no such line */
    unsigned count;
} nodes;

static nodes find_nodes(const char *text)
{
    nodes n = {0};

    for (const char *p = text; p; p = strchr(p, '\n')) {
        char *end;

        p += *p == '\n';
        if (*p != '!' || !isdigit((unsigned char)p[1]))
            continue;
        unsigned long number = strtoul(p + 1, &end, 10);
        if (number > 1 << 20 || strncmp(end, " = ", 3))
            continue;
        end += 3;
        if (!strncmp(end, "distinct ", 9))
            end += 9;
        if (strncmp(end, "!{", 2))
            continue;
        while (n.count <= number)
            n.at = grow_info_array(n.at, n.count++, sizeof *n.at);
        n.at[number] = end + 2;
    }
    return n;
}

/* The next element of a list; false: its end. Strings without quotes, the
 * rest as it is: "i32 1", "<4 x float> undef". */
static bool next_element(const char **at, strbuf *out)
{
    const char *p = *at;
    bool quoted = false;
    unsigned depth = 0;

    out->size = 0;
    strbuf_write(out, "", 0);
    while (*p == ' ' || *p == ',')
        p++;
    if (*p == '}' || !*p || *p == '\n')
        return false;
    if (p[0] == '!' && p[1] == '"') {
        quoted = true;
        p += 2;
    }
    for (; *p && *p != '\n'; p++) {
        if (quoted ? *p == '"' : (*p == ',' || *p == '}') && !depth)
            break;
        depth += !quoted && strchr("<({[", *p) != NULL;
        depth -= !quoted && depth && strchr(">)}]", *p) != NULL;
        if (quoted && *p == '\\' && isxdigit((unsigned char)p[1]) &&
            isxdigit((unsigned char)p[2])) {
            char hex[3] = {p[1], p[2], 0};

            strbuf_putc(out, (char)strtoul(hex, NULL, 16));
            p += 2;
        } else {
            strbuf_putc(out, *p);
        }
    }
    *at = p + (quoted && *p == '"');
    return true;
}

/* The list that "!NAME !7" in a definition's line refers to, "" if none. */
static const char *list_of(const nodes *n, const char *line, const char *end,
                           const char *name)
{
    strbuf key = {0};
    const char *at;
    unsigned long number;

    strbuf_printf(&key, " !%s !", name);
    at = memmem(line, (size_t)(end - line), key.text, key.size);
    number = at ? strtoul(at + key.size, NULL, 10) : n->count;
    strbuf_fini(&key);
    return number < n->count && n->at[number] ? n->at[number] : "";
}

static unsigned long number_in(const strbuf *element)
{
    const char *space = strrchr(element->text, ' ');

    return strtoul(space ? space + 1 : element->text, NULL, 10);
}

static void read_sizes(const char *list, size_t to[3])
{
    strbuf e = {0};

    for (unsigned i = 0; i < 3 && next_element(&list, &e); i++)
        to[i] = number_in(&e);
    strbuf_fini(&e);
}

static unsigned access_qualifier(const char *text)
{
    return !strcmp(text, "read_only")    ? CL_KERNEL_ARG_ACCESS_READ_ONLY
           : !strcmp(text, "write_only") ? CL_KERNEL_ARG_ACCESS_WRITE_ONLY
           : !strcmp(text, "read_write") ? CL_KERNEL_ARG_ACCESS_READ_WRITE
                                         : CL_KERNEL_ARG_ACCESS_NONE;
}

static uint64_t qualifiers_of(const char *text)
{
    return (strstr(text, "const") ? CL_KERNEL_ARG_TYPE_CONST : 0) |
           (strstr(text, "restrict") ? CL_KERNEL_ARG_TYPE_RESTRICT : 0) |
           (strstr(text, "volatile") ? CL_KERNEL_ARG_TYPE_VOLATILE : 0) |
           (strstr(text, "pipe") ? CL_KERNEL_ARG_TYPE_PIPE : 0);
}

/* Numbers of address spaces as in SPIR [SPIR:address-spaces]. */
static unsigned address_of(unsigned long space)
{
    return space == 1   ? CL_KERNEL_ARG_ADDRESS_GLOBAL
           : space == 2 ? CL_KERNEL_ARG_ADDRESS_CONSTANT
           : space == 3 ? CL_KERNEL_ARG_ADDRESS_LOCAL
                        : CL_KERNEL_ARG_ADDRESS_PRIVATE;
}

static void read_args(const nodes *n, const char *line, const char *end,
                      kernel_info *k)
{
    static const char *const lists[] = {
        "kernel_arg_addr_space", "kernel_arg_access_qual", "kernel_arg_type",
        "kernel_arg_type_qual", "kernel_arg_name"};
    strbuf e = {0};

    for (unsigned l = 0; l < COUNTOF(lists); l++) {
        const char *at = list_of(n, line, end, lists[l]);

        for (unsigned i = 0; next_element(&at, &e); i++) {
            arg_info *a = arg_at(k, i);

            switch (l) {
            case 0:
                a->address = address_of(number_in(&e));
                break;
            case 1:
                a->access = access_qualifier(e.text);
                break;
            case 2:
                a->type = new_text(e.text);
                break;
            case 3:
                a->qualifiers = qualifiers_of(e.text);
                break;
            default:
                a->name = new_text(e.text);
            }
        }
    }
    strbuf_fini(&e);
}

/* "<4 x float> undef" and whether it is signed: "float4". */
static char *vector_of(const char *list)
{
    static const char *const names[][3] = {
        {"i8", "uchar", "char"},       {"i16", "ushort", "short"},
        {"i32", "uint", "int"},        {"i64", "ulong", "long"},
        {"half", "half", "half"},      {"float", "float", "float"},
        {"double", "double", "double"}};
    strbuf type = {0}, sign = {0}, name = {0};
    unsigned lanes = 1;
    char element[16] = "";

    if (next_element(&list, &type) && next_element(&list, &sign)) {
        if (sscanf(type.text, "<%u x %15[a-z0-9]>", &lanes, element) != 2)
            sscanf(type.text, "%15s", element);
        for (unsigned i = 0; i < COUNTOF(names); i++)
            if (!strcmp(element, names[i][0]))
                strbuf_puts(&name, names[i][1 + (number_in(&sign) != 0)]);
        if (name.size && lanes > 1)
            strbuf_printf(&name, "%u", lanes);
    }
    strbuf_fini(&type);
    strbuf_fini(&sign);
    return name.text;
}

/* "define ... void @NAME(...) ... !kernel_arg_addr_space !6 ... {" */
static void read_definition(kernel_infos *k, const nodes *n, const char *line)
{
    const char *end = strchrnul(line, '\n');
    const char *name = memchr(line, '@', (size_t)(end - line)), *stop;

    if (!name || !memmem(line, (size_t)(end - line), " !kernel_arg_", 13))
        return;
    name++;
    stop = name + strcspn(name, "(");
    kernel_info *one = add_kernel_info(k, name, (size_t)(stop - name));
    read_args(n, line, end, one);
    read_sizes(list_of(n, line, end, "reqd_work_group_size"), one->required);
    read_sizes(list_of(n, line, end, "work_group_size_hint"), one->hint);
    one->vector = vector_of(list_of(n, line, end, "vec_type_hint"));
}

kernel_infos *kernel_infos_of_llvm(const char *text)
{
    kernel_infos *k = infos_new();
    nodes n = find_nodes(text);

    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += *p == '\n';
        if (!strncmp(p, "define ", 7))
            read_definition(k, &n, p);
    }
    free(n.at);
    return k;
}

/* ---- In PTX ---- */

#define LINE "// heddle-"

/* Fields have a tab between them; what C names contains none. */
void kernel_infos_write(const kernel_infos *k, strbuf *to)
{
    for (unsigned i = 0; i < k->count; i++) {
        const kernel_info *one = &k->kernels[i];

        strbuf_printf(to, LINE "kernel\t%s\t%zu %zu %zu\t%zu %zu %zu\t%s\n",
                      one->name, one->required[0], one->required[1],
                      one->required[2], one->hint[0], one->hint[1],
                      one->hint[2], one->vector ? one->vector : "");
        for (unsigned j = 0; j < one->arg_count; j++) {
            const arg_info *a = &one->args[j];

            strbuf_printf(to, LINE "arg\t%u %u %llu\t%s\t%s\n", a->address,
                          a->access, (unsigned long long)a->qualifiers,
                          a->type ? a->type : "", a->name ? a->name : "");
        }
    }
}

/* The field behind the next tab, which the caller frees; NULL: none. */
static char *next_field(const char **at)
{
    const char *p = *at, *end;

    if (*p != '\t')
        return NULL;
    p++;
    end = p + strcspn(p, "\t\n");
    *at = end;
    return new_text_n(p, (size_t)(end - p));
}

static bool read_kernel_line(kernel_infos *k, const char *p)
{
    char *name = next_field(&p), *required = next_field(&p),
         *hint = next_field(&p);
    char *vector = next_field(&p);
    bool good = vector != NULL;

    if (good) {
        kernel_info *one = add_kernel_info(k, name, strlen(name));

        good = sscanf(required, "%zu %zu %zu", &one->required[0],
                      &one->required[1], &one->required[2]) == 3 &&
               sscanf(hint, "%zu %zu %zu", &one->hint[0], &one->hint[1],
                      &one->hint[2]) == 3;
        if (*vector) {
            one->vector = vector;
            vector = NULL;
        }
    }
    free(name);
    free(required);
    free(hint);
    free(vector);
    return good;
}

static bool read_arg_line(kernel_infos *k, const char *p)
{
    char *numbers = next_field(&p), *type = next_field(&p),
         *name = next_field(&p);
    bool good = name && k->count;

    if (good) {
        kernel_info *one = &k->kernels[k->count - 1];
        arg_info *a = arg_at(one, one->arg_count);
        unsigned long long qualifiers = 0;

        good = sscanf(numbers, "%u %u %llu", &a->address, &a->access,
                      &qualifiers) == 3;
        a->qualifiers = qualifiers;
        a->type = type;
        a->name = name;
    } else {
        free(type);
        free(name);
    }
    free(numbers);
    return good;
}

kernel_infos *kernel_infos_of_ptx(const char *text)
{
    kernel_infos *k = infos_new();
    bool good = true;

    while (good && !strncmp(text, LINE, strlen(LINE))) {
        const char *p = text + strlen(LINE), *end = strchrnul(p, '\n');

        if (!strncmp(p, "kernel\t", 7))
            good = read_kernel_line(k, p + 6);
        else if (!strncmp(p, "arg\t", 4))
            good = read_arg_line(k, p + 3);
        text = *end ? end + 1 : end;
    }
    if (good && k->count)
        return k;
    kernel_infos_free(k);
    return NULL;
}

/* ---- Attributes ---- */

static void put_sizes(strbuf *to, const char *name, const size_t s[3])
{
    if (s[0])
        strbuf_printf(to, "%s%s(%zu,%zu,%zu)", to->size ? " " : "", name, s[0],
                      s[1], s[2]);
}

void kernel_info_attributes(const kernel_info *k, strbuf *to)
{
    put_sizes(to, "reqd_work_group_size", k->required);
    put_sizes(to, "work_group_size_hint", k->hint);
    if (k->vector)
        strbuf_printf(to, "%svec_type_hint(%s)", to->size ? " " : "",
                      k->vector);
}
