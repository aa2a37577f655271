/* TensorFlow without Fermata, for the benchmarks to compare with: a graph, a session, and the same request
 * again and again. A module of its own (bare_tensorflow.cc), opened as Fermata opens its plug-in, so that
 * both sides call the same library. The boundary is C, since nothing of TensorFlow's may be seen by the
 * program. */
#ifndef FERMATA_BENCHMARKS_BARE_TENSORFLOW_H_
#define FERMATA_BENCHMARKS_BARE_TENSORFLOW_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BareFeed {
  const char* tensor; /* "x:0" */
  int32_t dtype;
  int32_t rank;
  const int64_t* dims;
  const void* data; /* copied */
  uint64_t bytes;
} BareFeed;

typedef struct BareRequest {
  const char* meta; /* a .meta file with an init op */
  const char* train;
  const char* step;  /* a resource variable */
  const char* fetch; /* "loss:0", or NULL */
  const BareFeed* feeds;
  int32_t num_feeds;
} BareRequest;

typedef struct BareTensorflow {
  /* Opens and initialises a session with the single-threaded executor. The step is read after everything else
   * in the run, as Fermata reads it. NULL on failure, with the reason on stderr. */
  void* (*open)(const BareRequest* request);
  void (*close)(void* run);
  /* One run, which returns the step after it, or -1 on failure. */
  int64_t (*run_callable)(void* run);
  int64_t (*run_session)(void* run); /* TF_SessionRun */
} BareTensorflow;

/* The one exported function. */
typedef const BareTensorflow* (*BareTensorflowFactory)(void);
#define BARE_TENSORFLOW_FACTORY "fermata_bare_tensorflow"

#ifdef __cplusplus
}
#endif

#endif /* FERMATA_BENCHMARKS_BARE_TENSORFLOW_H_ */
