/* heddle report. */
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/must.h"
#include "cli/cli.h"
#include "lab/page_compare.h"

/* ---- Commands ---- */

static void put_word(strbuf *to, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_-+./:=,@%";

    if (*text && !text[strspn(text, plain)]) {
        strbuf_puts(to, text);
        return;
    }
    strbuf_putc(to, '\'');
    for (; *text; text++)
        if (*text == '\'')
            strbuf_puts(to, "'\\''");
        else
            strbuf_putc(to, *text);
    strbuf_putc(to, '\'');
}

char *report_command(int argc, char **argv)
{
    strbuf line = {0};

    strbuf_puts(&line, "heddle");
    for (int i = 0; i < argc; i++) {
        strbuf_putc(&line, ' ');
        put_word(&line, argv[i]);
    }
    return line.text;
}

/* ---- Pages ---- */

static int write_page(page *p, const char *path)
{
    diag *dg = diag_new();
    strbuf out = {0};
    status st;

    MUST(dg != NULL);
    page_finish(p, &out);
    st = file_write(path, out.text, out.size, dg);
    cli_report(dg);
    diag_free(dg);
    strbuf_fini(&out);
    return cli_exit_code(st);
}

int report_compare(const compare *list, size_t count, const char *command,
                   const char *path)
{
    page *p =
        page_new(page_compare_title(&list[0]), page_compare_about(&list[0]));
    time_t now = time(NULL);
    char date[32] = "", host[128] = "";
    struct tm utc;
    int code;

    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    if (gethostname(host, sizeof host - 1))
        *host = 0;
    for (size_t i = 0; i < count; i++) {
        if (count > 1)
            page_part(p, list[i].sides[0].gpus[0].name);
        page_compare(p, &list[i],
                     &(page_origin){.command = command,
                                    .date = date,
                                    .host = host,
                                    .version = HEDDLE_VERSION});
    }
    code = write_page(p, path);
    page_free(p);
    return code;
}
