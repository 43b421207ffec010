/* heddle doc: documents made from the tables of the code. */
#include <string.h>

#include "cli/cli.h"
#include "config/print.h"
#include "cost/cost_doc.h"
#include "isa/isa_doc.h"
#include "report/counters.h"
#include "report/record.h"

/* The page of one command. */
static int doc_manual(const char *name)
{
    const cli_command *c = cli_find(name);

    if (!c || !c->help)
        return cli_usage(cli_find("doc"), "no manual of '%s'", name);
    cli_manual_command(c, stdout);
    return cli_finish(0);
}

int cli_doc(int argc, char **argv)
{
    strbuf b = {0};

    if (argc == 3 && !strcmp(argv[1], "manual"))
        return doc_manual(argv[2]);
    if (argc != 2)
        return cli_usage(cli_find("doc"), "expected one document");
    if (!strcmp(argv[1], "manual"))
        cli_manual(stdout);
    else if (!strcmp(argv[1], "isa"))
        isa_doc(&b);
    else if (!strcmp(argv[1], "stats")) {
        report_counter_doc(&b);
        record_doc(&b);
    } else if (!strcmp(argv[1], "config"))
        config_doc(&b);
    else if (!strcmp(argv[1], "cost"))
        cost_doc(&b);
    else
        return cli_usage(cli_find("doc"), "no document '%s'", argv[1]);
    if (b.text)
        fputs(b.text, stdout);
    strbuf_fini(&b);
    return cli_finish(0);
}
