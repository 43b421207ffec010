/* src/launchfile/plan_reader.h - what the files that read launch files share. A
 * reader borrows everything. */
#ifndef LAUNCHFILE_PLAN_READER_H
#define LAUNCHFILE_PLAN_READER_H

#include "config/yml_reader.h"
#include "launchfile/plan.h"

typedef struct reader {
    yml_reader y;
    plan *p;
} reader;

plan_place reader_place(const reader *r, yml_place at);
const char *reader_path(reader *r, const yml_node *n); /* n may be NULL */

/* init, and seed, min, max, value of a buffer or image. */
void reader_init(reader *r, const yml_node *n, plan_buffer *b);
bool reader_options(reader *r, const yml_node *map, plan_buffer *b);

/* plan_image.c: `images`, `samplers`, `{texture: [image, sampler]}`, `bind`. */
void reader_images(reader *r, const yml_node *map);
void reader_samplers(reader *r, const yml_node *map);
void reader_texture(reader *r, const yml_node *n, plan_arg *a);
void reader_binds(reader *r, const yml_node *map, plan_launch *l);

/* plan_tensor.c: the map of `{tensormap: {...}}`; and as it is passed. */
void reader_tensor_map(reader *r, const yml_node *map, plan_arg *a);
bool plan_put_tensor(const plan_arg *a, const isa_param *prm, uint8_t *to,
                     diag *dg);

#endif
