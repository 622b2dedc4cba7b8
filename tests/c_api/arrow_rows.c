#include "arrow_rows.h"

#include <stddef.h>
#include <string.h>

int arrow_alive = 0;

static int next_batch;
static int is_broken;
static enum arrow_damage damage;

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

static void do_damage(struct ArrowArray* batch, unsigned char* views, int32_t* offsets) {
  static const unsigned char no_rows[1] = {0};
  const int32_t far = 1000;
  const int32_t none = -1;
  struct ArrowArray* const size = batch->children[0];
  switch (damage) {
    case DAMAGE_NONE: break;
    case DAMAGE_LENGTH: size->length = -1; break;
    case DAMAGE_OFFSET: size->offset = INT64_MAX; break;
    case DAMAGE_BUFFER_COUNT: size->n_buffers = 1; break;
    case DAMAGE_BUFFERS: size->buffers = NULL; break;
    case DAMAGE_VALUES: size->buffers[1] = NULL; break;
    case DAMAGE_VIEW_PLACE: memcpy(views + 16 + 12, &far, 4); break;
    case DAMAGE_VIEW_BUFFER: memcpy(views + 16 + 8, &far, 4); break;
    case DAMAGE_VIEW_SIZE: memcpy(views + 16, &none, 4); break;
    case DAMAGE_TEXT_OFFSETS: offsets[1] = 5; offsets[2] = 2; break;
    case DAMAGE_TEXTS: batch->children[2]->dictionary->buffers[2] = NULL; break;
    case DAMAGE_DICTIONARY: batch->children[2]->dictionary = NULL; break;
    case DAMAGE_CHILD: batch->children[1] = NULL; break;
    case DAMAGE_CHILDREN: batch->children = NULL; break;
    case DAMAGE_BATCH_LENGTH: batch->length = ARROW_ROWS + 1; break;
    case DAMAGE_ROW: batch->null_count = 1; batch->buffers[0] = no_rows; break;
    case DAMAGE_COUNT: break;
  }
}

static int get_next(struct ArrowArrayStream* stream, struct ArrowArray* out) {
  static const double sizes[ARROW_BATCHES][ARROW_ROWS + 1] = {{-1, 1, 2, 3, 4, 5, 6}, {-1, 7, 8, 9, 10, 11, 12}};
  static const unsigned char size_bits[1] = {0x76}; /* offset 1: row 2 (bit 3) is missing; bit 0 is nobody's */
  static const char long_text[] = "a make with a long name";
  static unsigned char views[16 * ARROW_ROWS];
  static const signed char codes[ARROW_ROWS] = {0, 1, 0, 1, 1, 0};
  static int32_t offsets[3];
  static const int64_t long_sizes[1] = {sizeof long_text - 1};
  static const unsigned char booleans[1] = {0x2a};
  static const void* size_buffers[2];
  static const void* view_buffers[4];
  static const void* code_buffers[2];
  static const void* text_buffers[3];
  static const void* boolean_buffers[2];
  static struct ArrowArray columns[4];
  static struct ArrowArray dictionary;
  static struct ArrowArray* children[4];
  static const void* no_buffers[1];
  (void)stream;
  memset(out, 0, sizeof *out);
  if (next_batch == ARROW_BATCHES) return 0;
  if (is_broken && next_batch == 1) return 5;
  for (int j = 0; j < 4; ++j) children[j] = &columns[j];
  no_buffers[0] = NULL;
  offsets[1] = 3;
  offsets[2] = 7;
  for (int i = 0; i < ARROW_ROWS; ++i) set_view(views + 16 * i, i % 2 == 0 ? "short" : long_text, 0);
  size_buffers[0] = size_bits;
  size_buffers[1] = sizes[next_batch];
  view_buffers[1] = views;
  view_buffers[2] = long_text;
  view_buffers[3] = long_sizes;
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
  do_damage(out, views, offsets);
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
  damage = DAMAGE_NONE;
  *stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, NULL};
  ++arrow_alive;
}

void make_broken_arrow_rows(struct ArrowArrayStream* stream) {
  make_arrow_rows(stream);
  is_broken = 1;
}

void make_damaged_arrow_rows(struct ArrowArrayStream* stream, enum arrow_damage kind) {
  make_arrow_rows(stream);
  damage = kind;
}
