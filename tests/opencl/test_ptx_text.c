/* tests/opencl/test_ptx_text.c - what is read out of PTX before it is
 * compiled, and the form of objects. */
#include "opencl/program/ptx_text.h"

#include "opencl/program/object_form.h"
#include "test.h"

static bool is(const char *text) { return ptx_text_is(text, strlen(text)); }

TEST(ptx_begins_with_its_version)
{
    CHECK(is(".version 6.0\n.target sm_70\n"));
    CHECK(is("//\n// made\n/* by\n*/ \n.version 6.0"));
    CHECK(!is("// .version 6.0\n"));
    CHECK(!is("kernel void k() {}"));
    CHECK(!is("/* .version"));
    CHECK(!is(""));
}

static const char *undefined(const char *text)
{
    static char out[512];
    strbuf log = {0};

    out[0] = 0;
    CHECK_EQ(ptx_text_undefined(text, NULL, &log), log.size != 0);
    if (log.size)
        snprintf(out, sizeof out, "%s", log.text);
    strbuf_fini(&log);
    return out;
}

TEST(functions_without_a_body)
{
    CHECK_STR(
        undefined(".func  (.param .b32 r) helper\n(\n.param .b32 p\n)\n;\n"
                  ".entry k(){ call helper; }"),
        "error: function 'helper' is used, but not defined\n");
    CHECK_STR(undefined(".extern .func other();\n.extern .func (.param .b64 r) "
                        "more(.param .b64 a) .noreturn;"),
              "error: function 'other' is used, but not defined\n"
              "error: function 'more' is used, but not defined\n");
}

TEST(functions_are_named_as_in_the_source)
{
    CHECK_STR(undefined(".func (.param .b32 r) _Z3ctzc(.param .b32 p)\n;\n"),
              "error: function 'ctz' is used, but not defined\n");
    CHECK_STR(undefined(".func _Z99x()\n;\n"),
              "error: function '_Z99x' is used, but not defined\n");
}

TEST(functions_with_a_body_and_those_of_the_device)
{
    CHECK_STR(undefined(".func (.param .b32 r) f(.param .b32 p)\n;\n"
                        ".visible .func  (.param .b32 r) f(\n.param .b32 p\n)"
                        "\n{\nret;\n}\n"),
              "");
    CHECK_STR(undefined(".extern .func (.param .b32 r) vprintf(.param .b64 a, "
                        ".param .b64 b);\n.functional"),
              "");
}

TEST(objects_and_libraries)
{
    static const char bitcode[] = "BC\xc0\xde rest";
    object_form o;
    strbuf text = {0};
    kernel_infos *infos =
        kernel_infos_of_ptx("// heddle-kernel\tk\t8 4 1\t0 0 0\t\n");

    for (int library = 0; library < 2; library++) {
        text.size = 0;
        object_form_write(&(object_form){.library = library,
                                         .traits = {library, !library},
                                         .arg_info = !library,
                                         .bitcode = bitcode,
                                         .size = sizeof bitcode,
                                         .infos = infos},
                          &text);
        CHECK(object_form_read(text.text, text.size, &o));
        CHECK_EQ(o.library, library);
        CHECK_EQ(o.traits.quick_divide, library);
        CHECK_EQ(o.traits.relaxed, !library);
        CHECK_EQ(o.arg_info, !library);
        CHECK(kernel_infos_find(o.infos, "k"));
        CHECK_EQ(kernel_infos_find(o.infos, "k")->required[1], 4);
        kernel_infos_free(o.infos);
        CHECK_EQ(o.size, sizeof bitcode);
        CHECK(!memcmp(o.bitcode, bitcode, sizeof bitcode));
    }
    CHECK(object_form_read(bitcode, sizeof bitcode, &o) && !o.library);
    CHECK(!object_form_read("heddle object 2\n", 16, &o));
    CHECK(!object_form_read("heddle object 2\nBC\xc0\xde", 20, &o));
    CHECK(!object_form_read("heddle object 1\nBC\xc0\xde", 20, &o));
    CHECK(!object_form_read("garbage", 7, &o));
    kernel_infos_free(infos);
    strbuf_fini(&text);
}
