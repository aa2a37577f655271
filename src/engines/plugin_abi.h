/* The boundary between the core and the TensorFlow plug-in. It is C: no exception crosses it, and no memory
 * is freed on the other side than it was made. Strings and tables are valid during the call unless a comment
 * says otherwise. */
/* NOLINTBEGIN(modernize-*, readability-identifier-naming): the linter speaks of C++. */
#ifndef FERMATA_PLUGIN_ABI_H_
#define FERMATA_PLUGIN_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with each change of anything below; the core refuses a plug-in with another number. */
#define FERMATA_PLUGIN_ABI 1

/* Filled by the callee; code 0 means success, others are status codes of TensorFlow. Long messages are cut.
 */
typedef struct FermataStatus {
  int32_t code;
  char message[4096];
} FermataStatus;

typedef struct FermataString {
  const char* data;
  uint64_t size;
} FermataString;

/* How bytes come back: called once with the whole. */
typedef void (*FermataBytesSink)(void* user, const void* data, uint64_t size);

/* A value. `data` is plain data, or `FermataString*` for dtype 7 (string). `dims` has `rank` sizes. */
typedef struct FermataTensorView {
  int32_t dtype;
  int32_t rank;
  const int64_t* dims;
  const void* data;
  uint64_t num_elements;
} FermataTensorView;

typedef struct FermataOutput {
  void* operation;
  int32_t index;
} FermataOutput;

/* One argument of a new node: a single output, or a list. */
typedef struct FermataNodeInput {
  const FermataOutput* outputs;
  int32_t num_outputs;
  int32_t is_list;
} FermataNodeInput;

/* An attribute: a serialized tensorflow.AttrValue. */
typedef struct FermataNodeAttr {
  const char* name;
  FermataString value;
} FermataNodeAttr;

typedef struct FermataNode {
  const char* type;
  const char* name;
  const char* device;
  const FermataNodeInput* inputs;
  int32_t num_inputs;
  void* const* control_inputs;
  int32_t num_control_inputs;
  const FermataNodeAttr* attrs;
  int32_t num_attrs;
} FermataNode;

/* What the core hands over when the plug-in is opened. */
typedef struct FermataHost {
  /* Addresses of the program's std::cout, std::cerr, std::clog: under RTLD_DEEPBIND the plug-in sees others,
   * which nobody has initialised. */
  void* cout;
  void* cerr;
  void* clog;
  /* Level as in fermata::LogLevel. */
  void (*log)(int32_t level, const char* message);
  /* Nonzero: TensorFlow's own messages are shown. */
  int32_t verbose;
} FermataHost;

typedef struct FermataPluginApi {
  uint32_t abi;         /* FERMATA_PLUGIN_ABI */
  uint32_t struct_size; /* sizeof(FermataPluginApi) */

  /* Valid for ever. */
  const char* (*runtime_version)(void);
  /* 1 if plans use prepared calls (MakeCallable), 0 if TF_SessionRun. */
  int32_t (*has_prepared_calls)(void);

  /* --- graph --- */
  void* (*graph_new)(void);
  void (*graph_delete)(void* graph);
  void (*graph_import)(void* graph, const void* graph_def, uint64_t size, FermataStatus* status);
  /* NULL if there is none. */
  void* (*graph_operation)(void* graph, const char* name);
  void (*graph_each_operation)(void* graph, void (*visit)(void* user, void* operation), void* user);
  void* (*graph_add)(void* graph, const FermataNode* node, FermataStatus* status);
  void (*graph_to_graph_def)(void* graph, FermataBytesSink sink, void* user, FermataStatus* status);
  /* Names and types are valid as long as the graph. */
  const char* (*operation_name)(void* operation);
  const char* (*operation_type)(void* operation);
  const char* (*operation_device)(void* operation);
  int32_t (*operation_num_outputs)(void* operation);
  int32_t (*operation_num_inputs)(void* operation);
  FermataOutput (*operation_input)(void* operation, int32_t index);
  int32_t (*operation_num_control_inputs)(void* operation);
  /* Writes at most `capacity` and returns how many there are. */
  int32_t (*operation_control_inputs)(void* operation, void** out, int32_t capacity);
  int32_t (*output_dtype)(FermataOutput output);
  /* Rank, −1 if unknown; writes the first `capacity` sizes, −1 for unknown ones. */
  int32_t (*output_shape)(void* graph, FermataOutput output, int64_t* dims, int32_t capacity);
  /* A serialized tensorflow.AttrValue; kNotFound if the operation has no such attribute. */
  void (*operation_attr)(void* operation, const char* name, FermataBytesSink sink, void* user,
                         FermataStatus* status);

  /* --- session --- */
  void* (*session_new)(void* graph, const char* target, const void* config_proto, uint64_t size,
                       FermataStatus* status);
  /* Takes over nodes that were added since. */
  void (*session_extend)(void* session, FermataStatus* status);
  /* From any thread; ends runs that wait. */
  void (*session_close)(void* session, FermataStatus* status);
  void (*session_delete)(void* session);

  /* --- values to be fed --- */
  /* Plain data: `release(user)` is called once, from any thread, when TensorFlow no longer needs `data`.
   * Strings: copied, and released before the call returns. NULL on failure (released too). */
  void* (*tensor_new)(const FermataTensorView* value, void (*release)(void* user), void* user,
                      FermataStatus* status);
  void (*tensor_delete)(void* tensor);

  /* --- plans --- */
  /* `run_options`: a serialized tensorflow.RunOptions used for each run, may be empty. */
  void* (*plan_new)(void* session, const FermataOutput* fetches, int32_t num_fetches, void* const* targets,
                    int32_t num_targets, const FermataOutput* feeds, int32_t num_feeds,
                    const void* run_options, uint64_t run_options_size, FermataStatus* status);
  void (*plan_delete)(void* plan);
  /* Room for the results of one run at a time. */
  void* (*outputs_new)(void* plan);
  void (*outputs_delete)(void* outputs);
  /* Runs once. `feeds` are tensors of tensor_new. `run_options`: NULL, or a serialized tensorflow.RunOptions
   * for this run alone. `metadata`: NULL, or gets the serialized RunMetadata. On success views[i] is filled
   * for fetch i, valid until the next run into `outputs`. From any thread, with outputs of its own. */
  void (*plan_run)(void* plan, void* const* feeds, const void* run_options, uint64_t run_options_size,
                   void* outputs, FermataTensorView* views, FermataBytesSink metadata, void* metadata_user,
                   FermataStatus* status);
} FermataPluginApi;

/* The one exported function. NULL on failure, with the reason in `status`. */
typedef const FermataPluginApi* (*FermataPluginFactory)(uint32_t abi, const FermataHost* host,
                                                        FermataStatus* status);
#define FERMATA_PLUGIN_FACTORY "fermata_plugin_v1"

#ifdef __cplusplus
}
#endif

#endif /* FERMATA_PLUGIN_ABI_H_ */
/* NOLINTEND(modernize-*, readability-identifier-naming) */
