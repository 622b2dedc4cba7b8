/* The C interface: what Python stands on, and other languages can.
 *
 * - Handles (xofm_frame, xofm_model, xofm_text) are opaque; whoever gets one frees it. All may be used from any thread,
 *   a model by many threads at once.
 * - Every call that can fail returns a status. If it is not XOFM_OK and `error` is not null, *error is a text that says
 *   what is wrong and what to do; free it. No exception leaves the library, and it keeps no state but its threads.
 * - Structs begin with their size, set to sizeof by the caller; fields are only ever added at the end.
 * - Texts are UTF-8. Options and descriptions are JSON, by the names of the option table (xofm_option_table).
 * - Rows come as columns that stay the caller's: an Arrow stream, or pointers with strides. Results go to buffers of the
 *   caller; null means not wanted.
 */
#ifndef XOFM_C_API_H
#define XOFM_C_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define XOFM_API __attribute__((visibility("default")))
#else
#define XOFM_API
#endif

/* Changes when a program that was compiled before no longer works. */
#define XOFM_ABI_VERSION 1
XOFM_API uint32_t xofm_abi_version(void);
XOFM_API const char* xofm_version(void);

typedef int32_t xofm_status;
enum {
  XOFM_OK = 0,
  XOFM_INVALID_OPTION = 1, /* an option's value is not allowed */
  XOFM_INVALID_DATA = 2,   /* the rows cannot be used */
  XOFM_INVALID_MODEL = 3,  /* a model file is damaged or of an unknown version */
  XOFM_IO = 4,             /* a file cannot be opened, read or written */
  XOFM_STOPPED = 5,        /* the callback asked to stop; the best so far is there */
  XOFM_NO_MEMORY = 6,
  XOFM_INTERNAL = 7, /* a mistake in the library */
  XOFM_DIVERGED = 8  /* training has left no usable model: a smaller step, or larger penalties */
};

/* Texts. */

typedef struct xofm_text xofm_text;
XOFM_API const char* xofm_text_data(const xofm_text* text); /* ends with a zero that is not counted */
XOFM_API size_t xofm_text_size(const xofm_text* text);
XOFM_API void xofm_text_free(xofm_text* text); /* null is allowed, here and below */

/* All options of training as a JSON list: name, group, type, default, least, most, choices, help. */
XOFM_API xofm_status xofm_option_table(xofm_text** table, xofm_text** error);

/* Rows. */

/* The Arrow C stream interface, as its specification defines it; only its name is needed here. */
struct ArrowArrayStream;

enum {
  XOFM_FLOAT64 = 0,
  XOFM_FLOAT32 = 1,
  XOFM_INT8 = 2,
  XOFM_INT16 = 3,
  XOFM_INT32 = 4,
  XOFM_INT64 = 5,
  XOFM_UINT8 = 6,
  XOFM_UINT16 = 7,
  XOFM_UINT32 = 8,
  XOFM_UINT64 = 9,
  XOFM_BOOL8 = 10, /* a byte, 0 or not */
  XOFM_LEVELS = 11, /* int32 codes of texts; negative: missing */
  XOFM_DAYS32 = 12, /* dates: int32 days since 1970-01-01 */
  XOFM_SECONDS = 13, /* times: int64 since 1970-01-01, here and below; INT64_MIN: missing */
  XOFM_MILLISECONDS = 14,
  XOFM_MICROSECONDS = 15,
  XOFM_NANOSECONDS = 16
};

typedef struct xofm_column {
  uint32_t struct_size;
  int32_t type;
  const char* name;
  const void* values;
  int64_t stride;            /* bytes from one value to the next, of any sign */
  const uint8_t* validity;   /* bit i, least first, is 0 where row i has no value; null: all have. NaN is missing too */
  const char* const* levels; /* XOFM_LEVELS: levels[code] */
  size_t level_count;
} xofm_column;

/* Columns of equal length. A frame only points at their values: they must stay until it is freed. */
typedef struct xofm_frame xofm_frame;
XOFM_API xofm_status xofm_frame_from_columns(const xofm_column* columns, size_t column_count, size_t row_count,
                                             xofm_frame** frame, xofm_text** error);
/* Takes the stream over, also if it fails, and keeps its batches without a copy: numbers, booleans, dates, timestamps,
 * strings, large strings, string views and dictionaries of them, in any number of chunks. */
XOFM_API xofm_status xofm_frame_from_arrow(struct ArrowArrayStream* stream, xofm_frame** frame, xofm_text** error);
XOFM_API size_t xofm_frame_row_count(const xofm_frame* frame);
XOFM_API size_t xofm_frame_column_count(const xofm_frame* frame);
XOFM_API const char* xofm_frame_column_name(const xofm_frame* frame, size_t column); /* null: there is none */
/* Other names for all columns. */
XOFM_API xofm_status xofm_frame_rename(xofm_frame* frame, const char* const* names, size_t count, xofm_text** error);
XOFM_API int32_t xofm_frame_column_is_text(const xofm_frame* frame, size_t column);
XOFM_API void xofm_frame_free(xofm_frame* frame);

/* What long work is told, and says. */

typedef struct xofm_progress {
  uint32_t struct_size;
  double share;      /* of all the work, in [0, 1] */
  const char* phase; /* one word: search, train, choose, bands */
  size_t count;      /* of what the phase counts; 0: nothing */
} xofm_progress;

typedef struct xofm_control {
  uint32_t struct_size;
  int32_t thread_count;     /* of this call; 0: one per core. Results do not depend on it */
  double interval_seconds;  /* least time between two calls of `progress` */
  int32_t (*progress)(const xofm_progress* progress, void* user); /* 0 asks to stop; null: none */
  void* user;
} xofm_control;

/* Models. `control` may be null everywhere: one thread per core, no callback. */

typedef struct xofm_model xofm_model;

typedef struct xofm_labels {
  uint32_t struct_size;
  const int32_t* codes; /* one per row: 0 is the lowest class */
  size_t count;
  const char* const* class_names; /* lowest first */
  size_t class_count;
  const char* label_name; /* null: "class" */
  const double* weights;  /* one per row; null: all are 1 */
} xofm_labels;

/* What `xofm fit` does. `options` is a JSON object by the names of the option table, and beside them:
 *   tune (true, false, null: if the data are not too large), preset ("default", "paper"),
 *   pairs ("auto", "none", "all", a number, a list of pairs of names), band_count, increasing, decreasing, categorical
 *   (lists of names), segment_counts, given_knots, class_weights, descriptions, units (objects by name),
 *   special ({name: [values]}: numbers that stand for something else), cyclic (names of columns of dates to take as
 *   month, weekday and hour; others are days since 1970-01-01), id (the name of a column that names the rows and is no
 *   attribute), keep_indicators (true: columns of 0 and 1 that say one thing stay apart).
 * Rows of weight 0 are as if absent, a row whose weight is a whole number as if it stood there so many times, and the
 * order of the rows does not matter. XOFM_STOPPED: *model is the best so far. */
XOFM_API xofm_status xofm_fit(const xofm_frame* frame, const xofm_labels* labels, const char* options,
                              const xofm_control* control, xofm_model** model, xofm_text** error);

XOFM_API xofm_status xofm_model_load(const char* path, xofm_model** model, xofm_text** error);
XOFM_API xofm_status xofm_model_save(const xofm_model* model, const char* path, xofm_text** error);
XOFM_API xofm_status xofm_model_from_text(const char* data, size_t size, xofm_model** model, xofm_text** error);
XOFM_API xofm_status xofm_model_to_text(const xofm_model* model, xofm_text** text, xofm_text** error);
XOFM_API void xofm_model_free(xofm_model* model);

/* Attributes, classes, options and how the model was found, as JSON. */
XOFM_API xofm_status xofm_model_describe(const xofm_model* model, xofm_text** text, xofm_text** error);

/* Below, columns are matched with the model's attributes by name, in any order; others are skipped. A text that
 * training has not seen is a new level. */

typedef struct xofm_prediction {
  uint32_t struct_size;
  double* scores;           /* [row] */
  int32_t* classes;         /* [row] */
  int32_t* lowest;          /* [row]: possible classes by the training scores */
  int32_t* highest;         /* [row] */
  double* support;          /* [row * class_count + class] */
  double* probabilities;    /* [row * class_count + class] */
  double coverage;          /* of the covering interval, in (0, 1) */
  int32_t* covering_lowest; /* [row]: classes that hold the true one with this probability */
  int32_t* covering_highest;
  uint8_t* notes; /* [row * attribute_count + attribute]: 1 below the training range, 2 above, 3 new level, 4 missing
                     although training had no missing values; else 0 */
} xofm_prediction;

XOFM_API xofm_status xofm_predict(const xofm_model* model, const xofm_frame* frame, const xofm_prediction* prediction,
                                  const xofm_control* control, xofm_text** error);

/* score = base + sum of attributes + sum of pairs, for every row. The pairs are those of xofm_model_describe. */
typedef struct xofm_contributions {
  uint32_t struct_size;
  double* base;       /* one number */
  double* attributes; /* [row * attribute_count + attribute] */
  double* pairs;      /* [row * pair_count + pair] */
} xofm_contributions;

XOFM_API xofm_status xofm_explain_local(const xofm_model* model, const xofm_frame* frame,
                                        const xofm_contributions* contributions, const xofm_control* control,
                                        xofm_text** error);

/* Curves, surfaces and importance as JSON; importance over the rows of `frame`, or null: over the training rows. */
XOFM_API xofm_status xofm_explain_global(const xofm_model* model, const xofm_frame* frame, const xofm_control* control,
                                         xofm_text** text, xofm_text** error);

/* The cheapest changes that bring each row into a class from `lowest` to `highest`, as a JSON list with one entry per
 * row: {"one": change or null, "two": change or null}, of one attribute and of at most two. Both XOFM_NEXT_BETTER or
 * XOFM_NEXT_WORSE: into the next class above or below the row's own. `options`: {"fixed": [names], "round": true}. */
enum { XOFM_NEXT_BETTER = -1, XOFM_NEXT_WORSE = -2 };
XOFM_API xofm_status xofm_recourse(const xofm_model* model, const xofm_frame* frame, int32_t lowest, int32_t highest,
                                   const char* options, const xofm_control* control, xofm_text** text,
                                   xofm_text** error);

/* How good classes, scores (or null) and probabilities (or null) are, as JSON. */
XOFM_API xofm_status xofm_evaluate(int32_t class_count, size_t row_count, const int32_t* labels,
                                   const int32_t* classes, const double* scores, const double* probabilities,
                                   xofm_text** text, xofm_text** error);

/* The report as one HTML page; `frame` (or null) has the rows to choose from, `labels` (or null) their classes.
 * `options`: {"title": text, "data_name": text, "row_limit": number}. */
XOFM_API xofm_status xofm_report(const xofm_model* model, const xofm_frame* frame, const int32_t* labels,
                                 const char* options, const xofm_control* control, xofm_text** text,
                                 xofm_text** error);

/* What `xofm export` writes, as a file's bytes. `options`: {"to": target} and beside it, by the names of the command
 * line, reasons ("low", "high"), name, table, dialect, id, points, pdo. */
XOFM_API xofm_status xofm_export(const xofm_model* model, const char* options, xofm_text** text, xofm_text** error);

/* What there is to know of labelled rows before training, as `xofm check --json` tells it. `options`:
 * {"categorical": [names], "special": {name: [values]}, "cyclic": [names], "id": name, "keep_indicators": bool}. */
XOFM_API xofm_status xofm_check(const xofm_frame* frame, const xofm_labels* labels, const char* options,
                                const xofm_control* control, xofm_text** text, xofm_text** error);

/* New rows, their classes known (labels) or not (null), against those of training, as `xofm monitor --json` tells it.
 * `options`: {"psi", "missing", "unseen", "outside", "metric", "confidence": numbers, "page": true for an HTML page
 * instead}. */
XOFM_API xofm_status xofm_monitor(const xofm_model* model, const xofm_frame* frame, const int32_t* labels,
                                  const char* options, const xofm_control* control, xofm_text** text,
                                  xofm_text** error);

#ifdef __cplusplus
}
#endif

#endif
