/* src/opencl/memory/memory.h - what the files about memory objects share: room
 * in simulated memory, checks that many functions make, transfers and mappings.
 *
 * A transfer moves a box of bytes between two sides, each of which is a box in
 * a buffer or in the program's memory, or texels of an image. All commands that
 * read, write, copy, map and unmap are transfers. Dimensions are those of the
 * API: the layers of a 1D array are rows, those of a 2D array slices.
 *
 * How long they take is a model of two numbers: what crosses the host's link
 * takes drv_link_ns; what is copied or filled within the device takes the
 * bytes that it reads and writes at the peak rate of its memory. Mapping for
 * reading moves the bytes over the link, as does unmapping what was mapped for
 * writing; mapping to overwrite and unmapping what was only read move none. */
#ifndef OPENCL_MEMORY_MEMORY_H
#define OPENCL_MEMORY_MEMORY_H

#include "driver/room.h"
#include "opencl/opencl.h"

/* ---- Room (memory.c) ---- */

/* Room for an object of the context, counted against its devices: CL_SUCCESS
 * or CL_MEM_OBJECT_ALLOCATION_FAILURE. */
cl_int memory_take(const char *function, cl_context c, uint64_t bytes,
                   uint64_t align, const char *name, uint64_t *addr);
void memory_give(cl_context c, uint64_t addr, uint64_t bytes);
/* The largest object that a device of the context can hold. */
uint64_t memory_largest(const struct _cl_context *c);

/* ---- Objects (mem.c) ---- */

/* A memory object with nothing behind it yet; NULL: no memory. */
cl_mem mem_new(cl_context c, cl_mem_object_type type, cl_mem_flags flags,
               const cl_mem_properties *properties);
bool mem_is_image(const struct _cl_mem *m);

/* Are these flags that objects can be created with? CL_SUCCESS or
 * CL_INVALID_VALUE. */
cl_int mem_check_flags(const char *function, cl_mem_flags flags);
/* CL_SUCCESS or CL_INVALID_PROPERTY. */
cl_int mem_check_properties(const char *function,
                            const cl_mem_properties *properties);
/* Is there a host pointer exactly if the flags need one? CL_SUCCESS or
 * CL_INVALID_HOST_PTR. */
cl_int mem_check_host_ptr(const char *function, cl_mem_flags flags,
                          const void *host_ptr);
/* Can these be the flags of an object within one that has those of `whole`?
 * CL_SUCCESS or CL_INVALID_VALUE; completes them with the whole's. */
cl_int mem_check_part(const char *function, cl_mem_flags *flags,
                      cl_mem_flags whole);

/* The first checks of all commands: queue, wait list, object, its type, its
 * context. */
cl_int mem_check(const char *function, cl_command_queue q, cl_uint wait_count,
                 const cl_event *waits, cl_mem m, bool image);
cl_int mem_check_object(const char *function, cl_command_queue q, cl_mem m,
                        bool image);
/* May the host read or write it? CL_SUCCESS or CL_INVALID_OPERATION. */
cl_int mem_check_host(const char *function, const struct _cl_mem *m, bool reads,
                      bool writes);
/* Is it inside the buffer? CL_SUCCESS or CL_INVALID_VALUE. */
cl_int mem_check_range(const char *function, const struct _cl_mem *m,
                       size_t offset, size_t size);

/* ---- Transfers (transfer.c, copy.c) ---- */

typedef struct ocl_side {
    uint8_t *bytes;    /* the first byte of the box; NULL: texels of `image` */
    size_t row, slice; /* bytes from a row and a slice to the next */
    cl_mem image;
    size_t origin[3]; /* there, in the order of the API */
} ocl_side;

typedef struct ocl_transfer {
    drv_command base;
    ocl_side from, to;
    size_t region[3];                  /* in the order of the API, x in units */
    size_t unit;                       /* bytes */
    bool stays;                        /* there is nothing to move */
    uint64_t link_bytes, device_bytes; /* what its duration counts */
    struct ocl_mapping *mapping;       /* of a map or unmap command */
    cl_mem mapped;
    bool done;
} ocl_transfer;

/* One row of bytes, there or in a buffer. */
ocl_side side_bytes(void *bytes, size_t size);
ocl_side side_buffer(const struct _cl_mem *m, size_t offset, size_t size);
ocl_side side_image(cl_mem m, const size_t origin[3]);

/* A box of region[] (x in units of so many bytes) that stays on the device or
 * crosses the host's link. NULL: no memory. */
ocl_transfer *transfer_new(cl_command_queue q, cl_command_type type,
                           ocl_side from, ocl_side to, const size_t region[3],
                           size_t unit, bool link);

enum { FILL_MAX = 128 };
/* Is this a pattern, and are address and size multiples of its size?
 * CL_SUCCESS or CL_INVALID_VALUE. */
cl_int fill_check(const char *function, const void *pattern,
                  size_t pattern_size, uint64_t at, size_t size);
/* A command that repeats the pattern. NULL: no memory. */
void *fill_new(cl_command_queue q, cl_command_type type, uint8_t *bytes,
               size_t size, const void *pattern, size_t pattern_size);

/* ---- Maps (map.c) ---- */

/* What the program has a pointer to. */
typedef struct ocl_mapping {
    struct ocl_mapping *next; /* of the object */
    cl_map_flags flags;
    ocl_side device, host; /* where its bytes are, where the program has them */
    size_t region[3], unit;
    bool direct;      /* the program sees the device's memory itself */
    uint8_t *copy;    /* owned; NULL: the memory is another's */
    unsigned holders; /* the object's list, commands */
} ocl_mapping;

/* All of an object that ends. */
void mappings_free(cl_mem object);

/* ---- Images (image_object.c, image_box.c) ---- */

/* Of an image that ends. */
void image_release(cl_mem m);
/* The image's own number of dimensions, layers included: 1 to 3. */
unsigned image_dims(const struct _cl_mem *m);
/* Are origin and region there, and the box inside and of no more dimensions
 * than the image? CL_SUCCESS or CL_INVALID_VALUE. */
cl_int image_check_box(const char *function, const struct _cl_mem *m,
                       const size_t *origin, const size_t *region);
/* Copies a box between an image and bytes of the host. Called by the worker. */
void image_move(const struct _cl_mem *m, const size_t origin[3],
                const size_t region[3], const ocl_side *host, bool write);
/* Its memory where rows lie behind each other; NULL bytes: it is in tiles. */
ocl_side image_rows(const struct _cl_mem *m, const size_t origin[3]);

#endif
