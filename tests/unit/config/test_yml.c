/* tests/unit/config/test_yml.c - the tree, its places, and what is refused. */
#include "config/yml.h"

#include "base/strbuf.h"
#include "test.h"

/* "line:column+length: text" of each message, one a line. */
static const char *messages(const diag *dg)
{
    static char text[4096];
    size_t n = 0;

    text[0] = '\0';
    for (size_t i = 0; i < diag_count(dg); i++) {
        const diag_item *it = diag_get(dg, i);

        n += (size_t)snprintf(text + n, sizeof text - n, "%u:%u+%u: %s\n",
                              it->line, it->column, it->length, it->text);
    }
    return text;
}

static const char *errors_n(const char *text, size_t size)
{
    arena *a = arena_new();
    diag *dg = diag_new();
    yml_node *root = NULL;
    status st = yml_read("t.yaml", text, size, a, dg, &root);
    const char *out = messages(dg);

    CHECK_EQ(st, diag_errors(dg) ? ST_CONFIG : ST_OK);
    CHECK_EQ(root != NULL, st == ST_OK);
    diag_free(dg);
    arena_free(a);
    return out;
}

static const char *errors(const char *text)
{
    return errors_n(text, strlen(text));
}

/* The tree as one line: {key@line:col=value@line:col#note ...} */
static void write_tree(const yml_node *n, strbuf *b)
{
    if (n->key)
        strbuf_printf(b, "%s@%u:%u=", n->key, n->key_at.line, n->key_at.column);
    if (n->kind == YML_SCALAR) {
        strbuf_printf(b, "%s@%u:%u+%u", n->text, n->at.line, n->at.column,
                      n->at.length);
        if (*n->note)
            strbuf_printf(b, "#%s", n->note);
        return;
    }
    strbuf_putc(b, n->kind == YML_MAP ? '{' : '[');
    for (const yml_node *c = n->first; c; c = c->next) {
        write_tree(c, b);
        if (c->next)
            strbuf_putc(b, ' ');
    }
    strbuf_putc(b, n->kind == YML_MAP ? '}' : ']');
}

/* The tree of a text, or its messages if it is refused. */
static const char *tree(const char *text)
{
    static char out[4096];
    arena *a = arena_new();
    diag *dg = diag_new();
    yml_node *root = NULL;
    strbuf b = {0};

    if (yml_read("t.yaml", text, strlen(text), a, dg, &root) == ST_OK)
        write_tree(root, &b);
    snprintf(out, sizeof out, "%s", b.text ? b.text : messages(dg));
    strbuf_fini(&b);
    diag_free(dg);
    arena_free(a);
    return out;
}

#define CHECK_TREE(text, want) CHECK_STR(tree(text), want)

TEST(mappings_lists_and_scalars_with_places)
{
    CHECK_TREE("a: 1\nb:\n  c: x y\n  d:\n    - p\n    - q\n",
               "{a@1:1=1@1:4+1 b@2:1={c@3:3=x y@3:6+3 "
               "d@4:3=[p@5:7+1 q@6:7+1]}}");
}

TEST(an_empty_text_is_an_empty_mapping)
{
    CHECK_TREE("", "{}");
    CHECK_TREE("# only a comment\n", "{}");
    CHECK_TREE("---\n...\n", "@2:1+1"); /* an empty scalar */
}

TEST(a_value_may_be_left_out)
{
    CHECK_TREE("a:\nb: 1\n", "{a@1:1=@1:3+1 b@2:1=1@2:4+1}");
}

TEST(quotes_are_removed_and_remembered)
{
    CHECK_TREE("a: 'it''s'\nb: \"\\x41\"\n",
               "{a@1:1=it's@1:4+7 b@2:1=A@2:4+6}");
}

TEST(comments_behind_values_are_kept)
{
    CHECK_TREE("a: 1   # [PPT:35] why  \nb: 2 # \nc: x#y\nd:\n  e: '#' #z\r\n",
               "{a@1:1=1@1:4+1#[PPT:35] why b@2:1=2@2:4+1 c@3:1=x#y@3:4+3 "
               "d@4:1={e@5:3=#@5:6+3#z}}");
}

TEST(a_comment_behind_braces_speaks_for_all_in_them)
{
    CHECK_TREE("a: {b: 1, c: 2}  # [T]\nd: [x, y] # [U]\ne: 5\n",
               "{a@1:1={b@1:5=1@1:8+1#[T] c@1:11=2@1:14+1#[T]} "
               "d@2:1=[x@2:5+1#[U] y@2:8+1#[U]] e@3:1=5@3:4+1}");
}

TEST(members_are_found_by_name)
{
    arena *a = arena_new();
    diag *dg = diag_new();
    yml_node *root;

    CHECK_EQ(yml_read("t", "a: 1\nb: 2\n", 10, a, dg, &root), ST_OK);
    CHECK_STR(yml_get(root, "b")->text, "2");
    CHECK(yml_get(root, "c") == NULL);
    CHECK_EQ(root->count, 2);
    arena_free(a);
    diag_free(dg);
}

TEST(columns_are_bytes)
{
    CHECK_TREE("\xc3\xa4\xc3\xa4: x\n", "{\xc3\xa4\xc3\xa4@1:1=x@1:7+1}");
}

TEST(repeated_keys_are_refused)
{
    CHECK_STR(errors("a: 1\nb: 2\na: 3\n"),
              "3:1+1: repeated key 'a', first on line 1\n");
    CHECK_STR(errors("s:\n  k: 1\n  k: 1\ns: {k: 1}\n"),
              "3:3+1: repeated key 'k', first on line 2\n"
              "4:1+1: repeated key 's', first on line 1\n");
}

TEST(tags_anchors_and_aliases_are_refused)
{
    CHECK_STR(errors("a: !!int 1\n"), "1:4+7: tags are not supported\n");
    CHECK_STR(errors("a: &x 1\n"), "1:4+4: anchors are not supported\n");
    CHECK_STR(errors("a: &x {b: 1}\n"), "1:4+4: anchors are not supported\n");
    CHECK_STR(errors("a: !t\n  - 1\n"), "1:4+1: tags are not supported\n");
    CHECK_STR(errors("a: 1\nb: *x\n"), "2:4+2: aliases are not supported\n");
}

TEST(keys_are_plain_names)
{
    CHECK_STR(errors("? [a, b]\n: 1\n"), "1:3+1: a key must be a plain name\n");
    CHECK_STR(errors("? {a: b}\n: 1\n"), "1:3+1: a key must be a plain name\n");
}

TEST(one_document_only)
{
    CHECK_STR(errors("a: 1\n---\nb: 1\n"),
              "2:1+3: only one document is allowed in a file\n");
}

TEST(syntax_errors_have_a_place)
{
    CHECK_STR(errors("a: 1\n\tb: 2\n"),
              "2:1+1: found a tab character that violates indentation while "
              "scanning a plain scalar\n");
    CHECK_STR(errors("a: [1, 2\n"), "2:1+1: did not find expected ',' or ']' "
                                    "while parsing a flow sequence\n");
    CHECK_STR(errors("a: b: c\n"),
              "1:5+1: mapping values are not allowed in this context\n");
    CHECK_STR(errors("a: 'x\n"), "2:1+1: found unexpected end of stream while "
                                 "scanning a quoted scalar\n");
}

TEST(bytes_that_are_no_text_have_a_place)
{
    CHECK_STR(errors("a: 1\nb: \xff\n"),
              "2:4+1: invalid leading UTF-8 octet\n");
    CHECK_STR(errors_n("a: 1\nb: \0\n", 10),
              "2:4+1: control characters are not allowed\n");
    CHECK_STR(errors("a: \"\\0\"\n"),
              "1:4+4: a text must not contain the character NUL\n");
}

TEST(depth_is_bounded)
{
    char text[200] = "";

    for (int i = 0; i < 60; i++)
        strcat(text, "[");
    CHECK_STR(errors(text), "1:33+1: nested more than 32 levels deep\n");
}
