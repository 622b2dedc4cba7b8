/* Rows as an Arrow stream made by hand: two batches of a number with gaps, a string view, a dictionary and a boolean. */
#ifndef XOFM_TESTS_ARROW_ROWS_H
#define XOFM_TESTS_ARROW_ROWS_H

#include <stdint.h>

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};

enum { ARROW_BATCHES = 2, ARROW_ROWS = 6 /* of a batch */ };

/* What was made and not yet released: 0 when all is given back. */
extern int arrow_alive;

void make_arrow_rows(struct ArrowArrayStream* stream);

/* One whose second batch cannot be read. */
void make_broken_arrow_rows(struct ArrowArrayStream* stream);

/* What a reader can see of a stream that is wrong. */
enum arrow_damage {
  DAMAGE_NONE,
  DAMAGE_LENGTH,
  DAMAGE_OFFSET,
  DAMAGE_BUFFER_COUNT,
  DAMAGE_BUFFERS,
  DAMAGE_VALUES,
  DAMAGE_VIEW_PLACE,
  DAMAGE_VIEW_BUFFER,
  DAMAGE_VIEW_SIZE,
  DAMAGE_TEXT_OFFSETS,
  DAMAGE_TEXTS,
  DAMAGE_DICTIONARY,
  DAMAGE_CHILD,
  DAMAGE_CHILDREN,
  DAMAGE_BATCH_LENGTH,
  DAMAGE_ROW,
  DAMAGE_COUNT
};

void make_damaged_arrow_rows(struct ArrowArrayStream* stream, enum arrow_damage kind);

#endif
