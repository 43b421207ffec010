/* What is wrong is reported, where it stands, all of it. */
#include "test.h"

#include "text.h"

/* The body's one error: its column in line 10 and words of its message. */
static void check_one(const char *line, unsigned column, const char *words)
{
    text t = text_body(line);

    if (diag_errors(t.dg) != 1)
        TEST_FAIL("\"%s\" gives %zu errors, not 1 (%s)", line,
                  diag_errors(t.dg),
                  diag_errors(t.dg) > 1 ? diag_get(t.dg, 1)->text : "");
    const diag_item *e = diag_get(t.dg, 0);
    if (e->line != 10 || e->column != column)
        TEST_FAIL("\"%s\" gives its error at %u:%u, not 10:%u: %s", line,
                  e->line, e->column, column, e->text);
    if (!strstr(e->text, words))
        TEST_FAIL("\"%s\" gives \"%s\", not \"... %s ...\"", line, e->text,
                  words);
    CHECK_STR(e->file, "t.ptx");
    CHECK(!t.m);
    text_free(&t);
}

TEST(unknown_names_come_with_a_suggestion)
{
    check_one("ad.u32 %r1, %r2, %r3;", 1, "did you mean add?");
    check_one("add.q32 %r1, %r2, %r3;", 4, "unknown modifier .q32");
    check_one("add.u32 %r1, %r2, %r99;", 19, "'%r99' is not declared");
    check_one("mov.u32 %r1, %tixd.x;", 14, "did you mean %tid?");
    check_one("bra Lopo; Loop: ret;", 5, "did you mean Loop?");
    check_one("call foo;", 6, "'foo' is not declared");
    check_one("brx.idx %r1, ts;", 14, "no .branchtargets 'ts'");
}

TEST(known_instruction_with_impossible_modifier_names_it)
{
    check_one("add.global.s32 %r1, %r2, %r3;", 4,
              "'add' has no modifier .global; it has: .u16");
    check_one("trap.uni;", 5, "'trap' has no modifier .uni; it has: none");
    check_one("add.ftz.ftz.f32 %f1, %f2, %f3;", 8, ".ftz is repeated");
    check_one("add.rn.rz.f32 %f1, %f2, %f3;", 7, "contradicts");
    check_one("add.s32.s32.s32 %r1, %r2, %r3;", 12, "one too many");
    check_one("add.ftz.f64 %fd1, %fd1, %fd1;", 1, "cannot have .ftz");
    check_one("add.rz.s32 %r1, %r2, %r3;", 1, "a rounding modifier");
    check_one("add.sat.u32 %r1, %r2, %r3;", 1, "cannot have .sat");
    check_one("add.b32 %r1, %r2, %r3;", 4, "'add' has no modifier .b32");
    check_one("mul.wide.s64 %rd1, %rd2, %rd3;", 1, "cannot have .wide");
    check_one("red.exch.b32 [%rd1], 1;", 1, "a reduction cannot .exch");
}

TEST(missing_modifiers)
{
    check_one("add %r1, %r2, %r3;", 1, "add needs a type");
    check_one("mul.s32 %r1, %r2, %r3;", 1, "needs .lo, .hi or .wide");
    check_one("fma.f32 %f1, %f1, %f1, %f1;", 1, "needs a rounding modifier");
    check_one("div.f32 %f1, %f2, %f3;", 1, "needs one of .rn");
    check_one("sqrt.f32 %f1, %f2;", 1, "needs one of .rn");
    check_one("sin.f32 %f1, %f2;", 1, "needs .approx");
    check_one("setp.s32 %p1, %r1, %r2;", 1, "needs a comparison");
    check_one("setp.eq.s32 %p1, %r1, %r2, %p2;", 1, "needs .and, .or or .xor");
    check_one("setp.lo.s32 %p1, %r1, %r2;", 1, ".lo does not compare .s32");
    check_one("cvt.f32.s32 %f1, %r1;", 1, "needs a rounding modifier");
    check_one("cvt.s32.f32 %r1, %f1;", 1, "such as .rzi");
    check_one("cvt.rn.f64.f32 %fd1, %f1;", 1, "the result is exact");
    check_one("atom.global.u32 %r1, [%rd1], 1;", 1, "one operation");
    check_one("atom.global.cas.b32 %r1, [%rd1], 1;", 1, "takes 4 operands");
    check_one("shf.l.b32 %r1, %r2, %r3, 4;", 1, "one of .clamp to .wrap");
    check_one("ld.relaxed.global.u32 %r1, [%rd1];", 1, "a scope");
    check_one("bar 0;", 1, "one of .sync, .arrive, .red");
    check_one("membar;", 1, "one of .cta, .gl, .sys");
}

TEST(operands_of_the_wrong_kind_or_size)
{
    check_one("add.u32 %r1, %r2;", 1, "takes 3 operands, not 2");
    check_one("add.u32 %r1, %r2, %r3, %r4;", 1, "takes 3 operands, not 4");
    check_one("add.u64 %rd1, %rd2, %r3;", 21, "'%r3' is a .b32");
    check_one("add.f32 %f1, %u1, %f2;", 14, "'%u1' is a .u32");
    check_one("add.f32 %f1, %f2, 1;", 19, "a floating-point number");
    check_one("add.s32 %r1, %r2, 1.0;", 19, "an integer");
    check_one("mov.u32 %r1, 0f3f800000;", 14, "an integer");
    check_one("add.u32 5, %r1, %r2;", 9, "needs a register here");
    check_one("add.u32 _, %r1, %r2;", 9, "cannot drop its result");
    check_one("add.u32 %r1, %tid.x, 1;", 14, "only mov and cvt");
    check_one("selp.b32 %r1, %r2, %r3, %r4;", 25, "needs a predicate");
    check_one("@%r1 ret;", 2, "'%r1' is no predicate");
    check_one("ld.global.u32 %r1, g;", 20, "an address in [ ]");
    check_one("ld.shared.u32 %r1, [g];", 20, "'g' is in .global");
    check_one("ld.global.u32 %r1, [%h1];", 20, "32 or 64 bits");
    check_one("ld.global.f32 %u1, [%rd1];", 15, "'%u1' is a .u32");
    check_one("ld.global.v2.f32 {%f1,%f2,%f3}, [%rd1];", 18, "a vector of 2");
    check_one("ld.global.v2.f32 %f1, [%rd1];", 18, "a vector of 2");
    check_one("st.param.b32 [a], 1;", 14, "cannot be written");
    check_one("mov.b64 {%r1,%h1}, %rd1;", 14, "2 parts of mov.b64 has 32");
    check_one("mov.u64 %rd1, %tid.x;", 15, "%tid has 32 bits");
    check_one("mov.u32 %r1, %tid;", 14, "read by component");
    check_one("mul.wide.s32 %r1, %r2, %r3;", 14, "needs a .s64");
    check_one("shl.b64 %rd1, %rd2, %rd3;", 21, "needs a .u32");
    check_one("call (%r1), callee, (%rd1);", 1, "takes 2, not 1");
    check_one("bar.sync 16;", 10, "16 barriers");
    check_one("mov.f32 %f1, v.q;", 15, "'v' has no part '.q'");
    check_one("mov.f32 %f1, %f2.x;", 17, "'%f2' has no part '.x'");
    check_one("mov.f32 %f1, v;", 14, "a scalar");
}

TEST(declarations)
{
    check_one(".reg .b32 %r5;", 11, "declared twice");
    check_one(".reg .b32 x, y, x;", 17, "declared twice");
    check_one(".reg .b31 x;", 6, "expected a type");
    check_one(".local .align 3 .b8 x[4];", 15, "power of two");
    check_one(".local .b8 x[];", 12, "the size of 'x' is missing");
    check_one(".shared .u32 x = 5;", 16, "initial values");
    check_one("A: ret; A: ret;", 9, "'A' is defined twice");
    check_one("{ B: ret; } bra B;", 17, "'B' stands in another scope");
    check_one(".local .pred x;", 8, "only registers can be of type .pred");
    check_one(".local .b8 x[1][2][99999999999][99999999999];", 12,
              "larger than any memory");
    check_one(".local .b64 x[0x7fffffffffffffff];", 15, "whole number up to");
}

TEST(constants)
{
    check_one("mov.u32 %r1, 1/0;", 17, "divided by zero");
    check_one("mov.u32 %r1, 0x1ffffffffffffffff;", 14, "more than 64 bits");
    check_one("mov.u32 %r1, 09;", 14, "not a number");
    check_one("mov.f32 %f1, 0f123;", 14, "8 hexadecimal digits");
    check_one("mov.u32 %r1, (1;", 16, "expected ')'");
    check_one("mov.u32 %r1, ~1.5;", 18, "takes an integer");
}

TEST(syntax)
{
    check_one("add.u32 %r1, %r2, %r3", 22, "expected ';' after the instr");
    check_one("add.u32 %r1, %r2 %r3;", 18, "found '%r3'");
    check_one("ld.global.u32 %r1, [%rd1;", 25, "expected ']' after the addr");
    check_one("mov.b64 {%r1, %r2, %rd1;", 24, "expected '}'");
    check_one("ld.global.u32 %r1, [%rd1+%rd2];", 26, "only a constant");
    check_one("ld.global.u32 %r1, [1.5];", 21, "no floating-point");
    check_one("@%p1 {ret;}", 6, "expected an instruction");
    check_one("frob: .callprototype f;", 22, "expected _");
    check_one(".loc 1 2", 1, "three numbers");
    check_one("call (%r1) callee, (%rd1, %r1);", 12, "expected ','");
    check_one("$;", 1, "unknown instruction '$'");
}

TEST(all_errors_of_a_text_are_reported)
{
    text t = text_parse(TEXT_HEAD ".entry k {\n"
                                  ".reg .b32 %r<9>;\n"
                                  "add.u32 %r1, %r2;\n"
                                  "{ bogus.u32 {%r1, %r2}, [%r3]; }\n"
                                  "mov.b64 {%r1, %x}, %r2;\n"
                                  "add.u32 %r1, %x, 1;\n"
                                  "bra nowhere;\n"
                                  "}\n"
                                  ".global .u33 x;\n"
                                  ".entry k2 { ret 5; }\n");
    static const unsigned lines[] = {6, 7, 8, 12, 13, 10};

    CHECK_EQ(diag_errors(t.dg), COUNTOF(lines));
    for (size_t i = 0; i < COUNTOF(lines); i++) {
        bool found = false;
        for (size_t j = 0; j < diag_count(t.dg); j++)
            found |= diag_get(t.dg, j)->line == lines[i];
        CHECK(found);
    }
    text_free(&t);
}

static void check_text(const char *s, unsigned line, const char *words)
{
    text t = text_parse(s);

    CHECK(!t.m);
    CHECK(diag_errors(t.dg) >= 1);
    const diag_item *e = diag_get(t.dg, 0);
    CHECK_EQ(e->line, line);
    if (!strstr(e->text, words))
        TEST_FAIL("\"%s\", not \"... %s ...\"", e->text, words);
    text_free(&t);
}

TEST(broken_texts)
{
    check_text("", 1, "is it PTX?");
    check_text("int main() { }", 1, "PTX begins with .version");
    check_text(".version 8\n.target sm_70", 1, "a version such as");
    check_text(".version 11.0\n.target sm_70", 1, "1.0 to 9.x are known");
    check_text(".version 8.5\n", 1, "no .target");
    check_text(".version 8.5\n.target gfx90", 2, "unknown target");
    check_text(TEXT_HEAD ".entry k {\nret;\n", 6, "a '}' is missing");
    check_text(TEXT_HEAD ".entry k { /* \n", 4, "has no end");
    check_text(TEXT_HEAD ".entri k { ret; }", 4, "did you mean .entry?");
    check_text(TEXT_HEAD ".entry k { ret; }\n.entry k { ret; }", 5,
               "declared twice; the first time in line 4");
    check_text(TEXT_HEAD ".func f(.param .b32 x);\n.func f { ret; }", 5,
               "other parameters");
    check_text(TEXT_HEAD ".global .u32 x = { 1, 2 };", 4, "more values");
    check_text(TEXT_HEAD ".global .u32 x[2] = { 1, 2, 3 };", 4, "more values");
    check_text(TEXT_HEAD ".global .u64 p = nobody;", 4, "variable or function");
    check_text(TEXT_HEAD ".entry k { add.u32 \x01; }", 4, "0x01");
}
