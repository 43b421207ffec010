/* Opening simulations, memory, programs; wrong arguments of every kind. */
#include <unistd.h>

#include "rig.h"

TEST(version_is_that_of_the_header)
{
    char text[32];

    snprintf(text, sizeof text, "%d.%d.%d", HEDDLE_VERSION_MAJOR,
             HEDDLE_VERSION_MINOR, HEDDLE_VERSION_PATCH);
    CHECK_STR(heddle_version(), text);
    CHECK_EQ(heddle_version_number(), HEDDLE_VERSION_NUMBER);
}

TEST(lists_the_presets)
{
    bool has_v100 = false;

    for (size_t i = 0; i < heddle_gpu_count(); i++)
        has_v100 |= !strcmp(heddle_gpu_name(i), "v100");
    CHECK(has_v100);
    CHECK(!heddle_gpu_name(heddle_gpu_count()));
    CHECK(!heddle_gpu_name(SIZE_MAX));
}

TEST(settings_are_in_the_configuration)
{
    heddle_sim *sim = rig_open();

    CHECK(strstr(heddle_config(sim), "  sms: 2\n"));
    heddle_close(sim);
}

TEST(a_file_is_a_gpu)
{
    char path[] = "/tmp/heddle-gpu-XXXXXX.yaml";
    const char text[] = "extends: k20\ngpu: {sms: 3}\n";
    heddle_options how = HEDDLE_OPTIONS_INIT;
    heddle_sim *sim;
    int fd = mkstemps(path, 5);

    CHECK(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1);
    close(fd);
    how.gpu = path;
    heddle_code code = heddle_open(&how, &sim);
    unlink(path);
    OK(sim, code);
    CHECK(strstr(heddle_config(sim), "  sms: 3\n"));
    CHECK(strstr(heddle_config(sim), "  arch: kepler\n"));
    heddle_close(sim);
}

/* Opening fails with that code and a text that says `why`. */
static void refuses(const heddle_options *how, heddle_code code,
                    const char *why)
{
    heddle_sim *sim;

    CHECK_EQ(heddle_open(how, &sim), code);
    CHECK(sim);
    CHECK_ERROR(sim, why);
    /* It has no more to give, and does no harm. */
    heddle_buffer *b;
    CHECK(heddle_alloc(sim, 4, NULL, &b) != HEDDLE_OK);
    CHECK(!heddle_config(sim));
    CHECK(!heddle_json(sim));
    heddle_close(sim);
}

TEST(refuses_gpus_and_settings_that_are_none)
{
    heddle_options how = HEDDLE_OPTIONS_INIT;
    const char *settings[] = {"l1.wayz=8", NULL};

    how.gpu = "v10";
    refuses(&how, HEDDLE_BAD_CONFIG, "v100");
    how.gpu = "/nonexistent/gpu.yaml";
    refuses(&how, HEDDLE_BAD_FILE, "/nonexistent/gpu.yaml");
    how.gpu = "-";
    refuses(&how, HEDDLE_BAD_ARGUMENT, "standard input");
    how.gpu = NULL;
    how.settings = settings;
    how.setting_count = 1;
    refuses(&how, HEDDLE_BAD_CONFIG, "l1.ways");
    settings[0] = "gpu.sms=0";
    refuses(&how, HEDDLE_BAD_CONFIG, "gpu.sms");
    how.setting_count = 2;
    refuses(&how, HEDDLE_BAD_ARGUMENT, "settings[1]");
    how.setting_count = UINT64_MAX;
    refuses(&how, HEDDLE_BAD_ARGUMENT, "setting_count");
    how.settings = NULL;
    how.setting_count = 1;
    refuses(&how, HEDDLE_BAD_ARGUMENT, "settings is NULL");
}

TEST(refuses_options_out_of_range)
{
    heddle_options how = HEDDLE_OPTIONS_INIT, wrong = how;

    wrong.size = 8;
    refuses(&wrong, HEDDLE_BAD_ARGUMENT, "size");
    wrong.size = UINT64_MAX;
    refuses(&wrong, HEDDLE_BAD_ARGUMENT, "size");
    wrong = how;
    wrong.threads = UINT32_MAX;
    refuses(&wrong, HEDDLE_BAD_ARGUMENT, "threads");
    wrong = how;
    wrong.heap_bytes = UINT64_MAX;
    refuses(&wrong, HEDDLE_BAD_ARGUMENT, "heap_bytes");
    wrong = how;
    wrong.flags = 1u << 31;
    refuses(&wrong, HEDDLE_BAD_ARGUMENT, "flag");
    wrong = how;
    wrong.flags = HEDDLE_PER_BLOCK; /* of launches */
    refuses(&wrong, HEDDLE_BAD_ARGUMENT, "flag");
    wrong = how;
    wrong.warm = 2;
    wrong.flags = HEDDLE_FUNCTIONAL;
    refuses(&wrong, HEDDLE_BAD_ARGUMENT, "warm");
}

/* A later program's structure is longer. */
TEST(takes_longer_structures_whose_rest_is_zero)
{
    struct {
        heddle_options is;
        uint64_t more;
    } how = {HEDDLE_OPTIONS_INIT, 0};
    heddle_sim *sim;

    how.is.size = sizeof how;
    OK(sim, heddle_open(&how.is, &sim));
    heddle_close(sim);
    how.more = 1;
    refuses(&how.is, HEDDLE_BAD_ARGUMENT, "size");
}

TEST(null_is_an_error_everywhere)
{
    heddle_sim *sim = rig_open();
    heddle_module *m;
    heddle_kernel *k = rig_kernel(sim, "saxpy");
    heddle_buffer *b;
    uint64_t value;
    double real;
    void *bytes;

    CHECK_EQ(heddle_open(NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_alloc(NULL, 4, NULL, &b), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_alloc(sim, 4, NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_load(sim, NULL, NULL, 4, &m), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_load(sim, NULL, "x", 1, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_load(NULL, NULL, "x", 1, &m), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_load_file(sim, NULL, &m), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_kernel_find(NULL, "k", &k), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_kernel_describe(NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_variable(NULL, "k", &b), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_write(NULL, 0, "x", 1), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_read(NULL, 0, &value, 1), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_map(NULL, &bytes), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_run(NULL, NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_run(k, NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_advance(NULL, 1, NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_advance(sim, 1, NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_look(sim, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_counter_info(sim, 0, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_total(sim, NULL, &value), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_total(NULL, "x", &value), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_hash(sim, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_set_callbacks(NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_result_figure(NULL, "ipc", &real), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_result_counter(NULL, "x", &value), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_result_fault(NULL, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_result_line(NULL, 0, NULL), HEDDLE_BAD_ARGUMENT);
    CHECK(!heddle_result_json(NULL));
    CHECK(!heddle_json(NULL));
    CHECK(!heddle_result_kernel(NULL));
    CHECK_EQ(heddle_result_cycles(NULL), 0);
    CHECK_EQ(heddle_kernel_count(NULL), 0);
    CHECK(!heddle_kernel_at(NULL, 0));
    CHECK_EQ(heddle_buffer_size(NULL), 0);
    CHECK_STR(heddle_error(NULL), "there is no simulation (NULL)");
    heddle_cancel(NULL);
    heddle_result_free(NULL);
    CHECK_EQ(heddle_free(NULL), HEDDLE_OK);
    CHECK_EQ(heddle_unload(NULL), HEDDLE_OK);
    heddle_close(NULL);
    heddle_close(sim);
}

/* ---- Memory ---- */

TEST(buffers_begin_with_zeros_and_keep_what_is_written)
{
    heddle_sim *sim = rig_open();
    heddle_buffer *b;
    uint8_t got[8] = {1}, *host;

    OK(sim, heddle_alloc(sim, 100, "b", &b));
    CHECK_EQ(heddle_buffer_size(b), 100);
    OK(sim, heddle_read(b, 92, got, 8));
    for (unsigned i = 0; i < 8; i++)
        CHECK_EQ(got[i], 0);
    OK(sim, heddle_write(b, 98, "hi", 2));
    OK(sim, heddle_map(b, (void **)&host));
    CHECK_EQ(host[98], 'h');
    CHECK_EQ((uintptr_t)host % 16, 0);
    host[99] = '!';
    OK(sim, heddle_read(b, 98, got, 2));
    CHECK_EQ(got[0], 'h');
    CHECK_EQ(got[1], '!');
    OK(sim, heddle_free(b));
    heddle_close(sim);
}

TEST(copies_outside_of_a_buffer_are_refused)
{
    heddle_sim *sim = rig_open();
    heddle_buffer *b;
    uint8_t byte = 0;

    OK(sim, heddle_alloc(sim, 100, "b", &b));
    CHECK_EQ(heddle_write(b, 100, &byte, 1), HEDDLE_BAD_ARGUMENT);
    CHECK_ERROR(sim, "100 bytes of 'b'");
    CHECK_EQ(heddle_read(b, UINT64_MAX, &byte, 1), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_read(b, 1, &byte, UINT64_MAX), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_read(b, 0, NULL, 1), HEDDLE_BAD_ARGUMENT);
    OK(sim, heddle_read(b, 100, NULL, 0));
    CHECK_STR(heddle_error(sim), "");
    heddle_close(sim);
}

TEST(more_memory_than_the_gpu_has_is_refused)
{
    heddle_sim *sim = rig_open();
    heddle_buffer *b = (heddle_buffer *)sim;

    CHECK_EQ(heddle_alloc(sim, UINT64_MAX, "all", &b), HEDDLE_NO_MEMORY);
    CHECK_ERROR(sim, "all");
    CHECK(!b);
    CHECK_EQ(heddle_alloc(sim, (uint64_t)1 << 62, NULL, &b), HEDDLE_NO_MEMORY);
    CHECK_EQ(heddle_alloc(sim, 0, NULL, &b), HEDDLE_BAD_ARGUMENT);
    OK(sim, heddle_alloc(sim, 4, NULL, &b));
    heddle_close(sim);
}

/* ---- Programs ---- */

TEST(describes_kernels_and_their_parameters)
{
    heddle_sim *sim = rig_open();
    heddle_kernel *k = rig_kernel(sim, "saxpy");
    heddle_kernel_info info;
    heddle_param_info p;

    OK(sim, heddle_kernel_describe(k, &info));
    CHECK_STR(info.name, "saxpy");
    CHECK_EQ(info.param_count, 4);
    CHECK(info.registers > 0 && info.registers < 32);
    OK(sim, heddle_kernel_param(k, 2, &p));
    CHECK_STR(p.name, "a");
    CHECK_EQ(p.kind, HEDDLE_PARAM_FLOAT);
    CHECK_EQ(p.size, 4);
    CHECK_EQ(heddle_kernel_param(k, 4, &p), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_kernel_param(k, SIZE_MAX, &p), HEDDLE_BAD_ARGUMENT);
    heddle_close(sim);
}

TEST(a_kernel_that_is_missing_is_told_with_those_there_are)
{
    heddle_sim *sim = rig_open();
    heddle_module *m;
    heddle_kernel *k;

    OK(sim, heddle_load(sim, NULL, rig_ptx, sizeof rig_ptx - 1, &m));
    CHECK_EQ(heddle_kernel_count(m), 6);
    CHECK_EQ(heddle_kernel_find(m, "saxpi", &k), HEDDLE_NOT_FOUND);
    CHECK(!k);
    CHECK_ERROR(sim, "did you mean 'saxpy'?");
    CHECK_EQ(heddle_kernel_find(m, NULL, &k), HEDDLE_NOT_FOUND);
    CHECK_ERROR(sim, "several");
    CHECK(heddle_kernel_at(m, 5));
    CHECK(!heddle_kernel_at(m, 6));
    heddle_close(sim);
}

typedef struct heard {
    unsigned count;
    heddle_level level;
    unsigned line;
    char file[64], text[256];
} heard;

static void hear(void *arg, const heddle_message *m)
{
    heard *h = arg;

    if (h->count++)
        return;
    h->level = m->level;
    h->line = m->line;
    snprintf(h->file, sizeof h->file, "%s", m->file ? m->file : "");
    snprintf(h->text, sizeof h->text, "%s", m->text);
}

TEST(errors_of_programs_have_their_place)
{
    const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                        ".visible .entry k()\n{\n    bogus.u32 %r1;\n}\n";
    heddle_callbacks calls = HEDDLE_CALLBACKS_INIT;
    heddle_sim *sim = rig_open();
    heddle_module *m;
    heard h = {0};

    calls.message = hear;
    calls.arg = &h;
    OK(sim, heddle_set_callbacks(sim, &calls));
    CHECK_EQ(heddle_load(sim, "bad.ptx", text, sizeof text - 1, &m),
             HEDDLE_BAD_PROGRAM);
    CHECK(!m);
    CHECK_ERROR(sim, "bad.ptx:6:");
    CHECK_EQ(h.level, HEDDLE_ERROR);
    CHECK_EQ(h.line, 6);
    CHECK_STR(h.file, "bad.ptx");
    CHECK(strstr(h.text, "bogus"));
    CHECK_EQ(heddle_load(sim, "junk", "\0\1\2\3", 4, &m), HEDDLE_BAD_PROGRAM);
    CHECK_EQ(heddle_load_file(sim, "/nonexistent.ptx", &m), HEDDLE_BAD_FILE);
    CHECK_ERROR(sim, "/nonexistent.ptx");
    heddle_close(sim);
}

TEST(variables_are_buffers_of_their_module)
{
    heddle_sim *sim = rig_open();
    heddle_module *m;
    heddle_buffer *v;
    uint32_t got[4];

    OK(sim, heddle_load(sim, NULL, rig_ptx, sizeof rig_ptx - 1, &m));
    OK(sim, heddle_variable(m, "scale", &v));
    CHECK_EQ(heddle_buffer_size(v), 16);
    OK(sim, heddle_read(v, 0, got, 16));
    for (unsigned i = 0; i < 4; i++)
        CHECK_EQ(got[i], i + 1);
    CHECK_EQ(heddle_free(v), HEDDLE_BAD_ARGUMENT);
    CHECK_EQ(heddle_variable(m, "none", &v), HEDDLE_NOT_FOUND);
    OK(sim, heddle_unload(m));
    heddle_close(sim);
}

TEST(assembly_is_a_program)
{
    const char text[] = ".arch volta\n.kernel k\n    EXIT;\n.end\n";
    heddle_launch l = rig_launch(NULL, 0, 32);
    heddle_sim *sim = rig_open();
    heddle_module *m;
    heddle_kernel *k;
    heddle_result *r;
    uint64_t insts;

    OK(sim, heddle_load(sim, "k.sass", text, sizeof text - 1, &m));
    OK(sim, heddle_kernel_find(m, NULL, &k));
    OK(sim, heddle_run(k, &l, &r));
    OK(sim, heddle_result_counter(r, "gpu.launches", &insts));
    CHECK_EQ(insts, 1);
    heddle_close(sim);
}
