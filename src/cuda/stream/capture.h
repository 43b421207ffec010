/* src/cuda/stream/capture.h - streams that capture: what they are given becomes
 * nodes of a graph, and is not done.
 *
 * A capture begins in one stream; others join it when they wait for an event of
 * it, and must lead back to the first before it ends. With the lock. */
#ifndef CUDA_STREAM_CAPTURE_H
#define CUDA_STREAM_CAPTURE_H

#include "cuda/stream/node.h"

/* ---- In a stream that captures ---- */

/* The operation becomes a node. Takes over what it owns. */
cudaError_t capture_op(cu_stream *s, cu_op *op);
cudaError_t capture_record(cu_stream *s, cu_event *e);
/* The stream, or the event, or both are of a capture. */
cudaError_t capture_wait(cu_stream *s, cu_event *e);
/* cudaErrorStreamCaptureUnsupported, to what a capture cannot have; it is
 * spoilt by that. `what` is "is waited for". */
cudaError_t capture_refuse(cu_stream *s, const char *what);
/* The stream, which captures, is destroyed. */
void capture_leave(cu_stream *s);

/* ---- In others, while one captures ---- */

extern struct cu_capture *captures; /* NULL: none does; ask this first */

/* The legacy stream is about to be used: cudaErrorStreamCaptureImplicit if a
 * stream that it would wait for captures, which `spoils` it or not. */
cudaError_t capture_check_legacy(const cu_device *d, bool spoils);
/* All streams of the device are about to be waited for. */
cudaError_t capture_check_device(const cu_device *d);
/* The call may do something to streams that capture. */
cudaError_t capture_check_call(void);
/* It is about to look at the event. */
cudaError_t capture_check_event(const cu_event *e);

/* The event is not of a capture any more. */
void capture_forget(cu_event *e);

struct cu_graph;
/* No stream captures into it, so it may lose nodes or end; else reported. */
cudaError_t capture_check_graph(const struct cu_graph *g);

#endif
