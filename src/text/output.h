/* src/text/output.h - the forms in which results are told. */
#ifndef TEXT_OUTPUT_H
#define TEXT_OUTPUT_H

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV };

#endif
