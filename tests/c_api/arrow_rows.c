#include "arrow_rows.h"

#include <stddef.h>
#include <string.h>

int arrow_alive = 0;

static int next_batch;
static int is_broken;

static void release_schema(struct ArrowSchema* schema) {
  --arrow_alive;
  schema->release = NULL;
}

static void release_array(struct ArrowArray* array) {
  --arrow_alive;
  array->release = NULL;
}

static struct ArrowSchema leaf_schema(const char* format, const char* name) {
  struct ArrowSchema schema = {format, name, NULL, 2, 0, NULL, NULL, NULL, NULL};
  return schema;
}

static int get_schema(struct ArrowArrayStream* stream, struct ArrowSchema* out) {
  static struct ArrowSchema columns[4];
  static struct ArrowSchema* children[4] = {&columns[0], &columns[1], &columns[2], &columns[3]};
  static struct ArrowSchema dictionary;
  (void)stream;
  columns[0] = leaf_schema("g", "size");
  columns[1] = leaf_schema("vu", "make");
  columns[2] = leaf_schema("c", "colour");
  columns[3] = leaf_schema("b", "is_new");
  dictionary = leaf_schema("u", "");
  columns[2].dictionary = &dictionary;
  *out = leaf_schema("+s", "");
  out->n_children = 4;
  out->children = children;
  out->release = release_schema;
  ++arrow_alive;
  return 0;
}

/* Sixteen bytes: length, then the text itself or its first four bytes, buffer and offset. */
static void set_view(unsigned char* view, const char* text, int32_t offset) {
  const int32_t length = (int32_t)strlen(text);
  const int32_t buffer = 0;
  memset(view, 0, 16);
  memcpy(view, &length, 4);
  if (length <= 12) {
    memcpy(view + 4, text, (size_t)length);
    return;
  }
  memcpy(view + 4, text, 4);
  memcpy(view + 8, &buffer, 4);
  memcpy(view + 12, &offset, 4);
}

static int get_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  static const double sizes[ARROW_BATCHES][ARROW_ROWS + 1] = {{-1, 1, 2, 3, 4, 5, 6}, {-1, 7, 8, 9, 10, 11, 12}};
  static const unsigned char size_bits[1] = {0x76}; /* offset 1: row 2 (bit 3) is missing; bit 0 is nobody's */
  static const char long_text[] = "a make with a long name";
  static unsigned char views[16 * ARROW_ROWS];
  static const signed char codes[ARROW_ROWS] = {0, 1, 0, 1, 1, 0};
  static const int32_t offsets[3] = {0, 3, 7};
  static const unsigned char booleans[1] = {0x2a};
  static const void* size_buffers[2];
  static const void* view_buffers[4];
  static const void* code_buffers[2];
  static const void* text_buffers[3];
  static const void* boolean_buffers[2];
  static struct ArrowArray columns[4];
  static struct ArrowArray dictionary;
  static struct ArrowArray* children[4] = {&columns[0], &columns[1], &columns[2], &columns[3]};
  static const void* no_buffers[1] = {NULL};
  (void)stream;
  memset(out, 0, sizeof *out);
  if (next_batch == ARROW_BATCHES) return 0;
  if (is_broken && next_batch == 1) return 5;
  for (int i = 0; i < ARROW_ROWS; ++i) set_view(views + 16 * i, i % 2 == 0 ? "short" : long_text, 0);
  size_buffers[0] = size_bits;
  size_buffers[1] = sizes[next_batch];
  view_buffers[1] = views;
  view_buffers[2] = long_text;
  code_buffers[1] = codes;
  text_buffers[1] = offsets;
  text_buffers[2] = "redblue";
  boolean_buffers[1] = booleans;
  memset(columns, 0, sizeof columns);
  columns[0] = (struct ArrowArray){ARROW_ROWS, 1, 1, 2, 0, size_buffers, NULL, NULL, NULL, NULL};
  columns[1] = (struct ArrowArray){ARROW_ROWS, 0, 0, 4, 0, view_buffers, NULL, NULL, NULL, NULL};
  dictionary = (struct ArrowArray){2, 0, 0, 3, 0, text_buffers, NULL, NULL, NULL, NULL};
  columns[2] = (struct ArrowArray){ARROW_ROWS, 0, 0, 2, 0, code_buffers, NULL, &dictionary, NULL, NULL};
  columns[3] = (struct ArrowArray){ARROW_ROWS, 0, 0, 2, 0, boolean_buffers, NULL, NULL, NULL, NULL};
  *out = (struct ArrowArray){ARROW_ROWS, 0, 0, 1, 4, no_buffers, children, NULL, release_array, NULL};
  ++arrow_alive;
  ++next_batch;
  return 0;
}

static const char* get_last_error(struct ArrowArrayStream* stream) {
  (void)stream;
  return "the disk is gone";
}

static void release_stream(struct ArrowArrayStream* stream) {
  --arrow_alive;
  stream->release = NULL;
}

void make_arrow_rows(struct ArrowArrayStream* stream) {
  next_batch = 0;
  is_broken = 0;
  *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, NULL};
  ++arrow_alive;
}

void make_broken_arrow_rows(struct ArrowArrayStream* stream) {
  make_arrow_rows(stream);
  is_broken = 1;
}
