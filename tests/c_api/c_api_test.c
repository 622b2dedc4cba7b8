/* The C interface from C: every call once, with answers that are known or that must agree with each other. */
#include "xofm/c_api.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow_rows.h"

enum { ROWS = 300, CLASSES = 3 };

static int failures = 0;

#define CHECK(condition)                                                            \
  do {                                                                              \
    if (!(condition)) {                                                             \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);     \
      ++failures;                                                                   \
    }                                                                               \
  } while (0)

static void check_ok(xofm_status status, xofm_text** error) {
  if (status != XOFM_OK) fprintf(stderr, "error: %s\n", *error != NULL ? xofm_text_data(*error) : "?");
  CHECK(status == XOFM_OK);
  xofm_text_free(*error);
}

/* The status, and a message that contains the text. */
static void check_error(xofm_status status, xofm_status expected, xofm_text** error, const char* text) {
  CHECK(status == expected);
  CHECK(*error != NULL);
  if (*error != NULL && strstr(xofm_text_data(*error), text) == NULL) {
    fprintf(stderr, "'%s' does not say '%s'\n", xofm_text_data(*error), text);
    ++failures;
  }
  xofm_text_free(*error);
}

/* A matrix of floats row by row, a column of small integers and one of levels with gaps. */
static float matrix[ROWS][2];
static int16_t counts[ROWS];
static int32_t codes[ROWS];
static int32_t labels[ROWS];
static const char* levels[] = {"north", "south"};
static const char* class_names[] = {"low", "medium", "high"};

static void make_rows(void) {
  uint32_t state = 1;
  for (int i = 0; i < ROWS; ++i) {
    double score = 0;
    for (int j = 0; j < 2; ++j) {
      state = state * 1664525u + 1013904223u;
      matrix[i][j] = (float)(state >> 8) / 16777216.0f;
      score += matrix[i][j];
    }
    counts[i] = (int16_t)(i % 7);
    codes[i] = i % 5 == 0 ? -1 : i % 2;
    labels[i] = score < 0.7 ? 0 : score < 1.3 ? 1 : 2;
  }
}

static xofm_column column_of(const char* name, int32_t type, const void* values, int64_t stride) {
  xofm_column column;
  memset(&column, 0, sizeof column);
  column.struct_size = sizeof column;
  column.name = name;
  column.type = type;
  column.values = values;
  column.stride = stride;
  return column;
}

static xofm_frame* make_frame(int is_reversed) {
  xofm_column columns[4] = {column_of("a", XOFM_FLOAT32, &matrix[0][0], sizeof matrix[0]),
                            column_of("b", XOFM_FLOAT32, &matrix[0][1], sizeof matrix[0]),
                            column_of("count", XOFM_INT16, counts, sizeof counts[0]),
                            column_of("place", XOFM_LEVELS, codes, sizeof codes[0])};
  columns[3].levels = levels;
  columns[3].level_count = 2;
  if (is_reversed) {
    const xofm_column first = columns[0];
    columns[0] = columns[3];
    columns[3] = first;
  }
  xofm_frame* frame = NULL;
  xofm_text* error = NULL;
  check_ok(xofm_frame_from_columns(columns, 4, ROWS, &frame, &error), &error);
  return frame;
}

static xofm_labels make_labels(void) {
  xofm_labels made;
  memset(&made, 0, sizeof made);
  made.struct_size = sizeof made;
  made.codes = labels;
  made.count = ROWS;
  made.class_names = class_names;
  made.class_count = CLASSES;
  return made;
}

static int calls = 0;

static int32_t go_on(const xofm_progress* progress, void* user) {
  CHECK(progress->share >= 0 && progress->share <= 1);
  CHECK(user == &calls);
  ++calls;
  return 1;
}

static int32_t stop(const xofm_progress* progress, void* user) {
  (void)progress;
  (void)user;
  return 0;
}

static xofm_model* fit_rows(const xofm_frame* frame, const char* options, int32_t thread_count) {
  const xofm_labels given = make_labels();
  xofm_control control;
  memset(&control, 0, sizeof control);
  control.struct_size = sizeof control;
  control.thread_count = thread_count;
  control.progress = go_on;
  control.user = &calls;
  xofm_model* model = NULL;
  xofm_text* error = NULL;
  check_ok(xofm_fit(frame, &given, options, &control, &model, &error), &error);
  CHECK(model != NULL);
  return model;
}

static void predict_scores(const xofm_model* model, const xofm_frame* frame, double* scores, int32_t* classes) {
  xofm_prediction out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.scores = scores;
  out.classes = classes;
  xofm_text* error = NULL;
  check_ok(xofm_predict(model, frame, &out, NULL, &error), &error);
}

static void a_model_learns_and_explains(const xofm_frame* frame, const xofm_model* model) {
  static double scores[ROWS];
  static double attributes[ROWS][4];
  static double pairs[ROWS][6];
  static int32_t classes[ROWS];
  predict_scores(model, frame, scores, classes);
  int right = 0;
  for (int i = 0; i < ROWS; ++i) right += classes[i] == labels[i];
  CHECK(right > ROWS * 0.9);

  double base = 0;
  xofm_contributions out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.base = &base;
  out.attributes = &attributes[0][0];
  out.pairs = &pairs[0][0];
  xofm_text* error = NULL;
  check_ok(xofm_explain_local(model, frame, &out, NULL, &error), &error);
  for (int i = 0; i < ROWS; ++i) {
    double sum = base;
    for (int j = 0; j < 4; ++j) sum += attributes[i][j];
    for (int p = 0; p < 6; ++p) sum += pairs[i][p];
    CHECK(fabs(sum - scores[i]) < 1e-9); /* some rounding of ten terms around 1 */
  }
}

static void columns_are_found_by_name(const xofm_frame* frame, const xofm_model* model) {
  static double scores[ROWS];
  static double reversed_scores[ROWS];
  xofm_frame* reversed = make_frame(1);
  predict_scores(model, frame, scores, NULL);
  predict_scores(model, reversed, reversed_scores, NULL);
  CHECK(memcmp(scores, reversed_scores, sizeof scores) == 0);
  xofm_frame_free(reversed);
}

static void a_model_survives_its_text_and_its_file(const xofm_frame* frame, const xofm_model* model,
                                                   const char* folder) {
  static double scores[ROWS];
  static double other_scores[ROWS];
  char path[4096];
  snprintf(path, sizeof path, "%s/model.json", folder);
  xofm_text* text = NULL;
  xofm_text* error = NULL;
  xofm_model* other = NULL;
  predict_scores(model, frame, scores, NULL);
  check_ok(xofm_model_to_text(model, &text, &error), &error);
  check_ok(xofm_model_from_text(xofm_text_data(text), xofm_text_size(text), &other, &error), &error);
  predict_scores(other, frame, other_scores, NULL);
  CHECK(memcmp(scores, other_scores, sizeof scores) == 0);
  xofm_text_free(text);
  xofm_model_free(other);
  check_ok(xofm_model_save(model, path, &error), &error);
  check_ok(xofm_model_load(path, &other, &error), &error);
  predict_scores(other, frame, other_scores, NULL);
  CHECK(memcmp(scores, other_scores, sizeof scores) == 0);
  xofm_model_free(other);
}

static void the_number_of_threads_changes_nothing(const xofm_frame* frame, const xofm_model* model) {
  xofm_text* one = NULL;
  xofm_text* four = NULL;
  xofm_text* error = NULL;
  xofm_model* other = fit_rows(frame, "{\"tune\": false}", 4);
  check_ok(xofm_model_to_text(model, &one, &error), &error);
  check_ok(xofm_model_to_text(other, &four, &error), &error);
  CHECK(strcmp(xofm_text_data(one), xofm_text_data(four)) == 0);
  xofm_text_free(one);
  xofm_text_free(four);
  xofm_model_free(other);
}

static void texts_about_a_model_are_there(const xofm_frame* frame, const xofm_model* model) {
  xofm_text* text = NULL;
  xofm_text* error = NULL;
  check_ok(xofm_model_describe(model, &text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "\"class_names\":[\"low\",\"medium\",\"high\"]") != NULL);
  xofm_text_free(text);
  check_ok(xofm_explain_global(model, frame, NULL, &text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "\"curves\":[") != NULL);
  xofm_text_free(text);
  check_ok(xofm_recourse(model, frame, 2, 2, "{\"fixed\": [\"a\"]}", NULL, &text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "\"attribute\":\"b\"") != NULL);
  CHECK(strstr(xofm_text_data(text), "\"attribute\":\"a\"") == NULL);
  xofm_text_free(text);
  check_ok(xofm_evaluate(CLASSES, ROWS, labels, labels, NULL, NULL, &text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "\"accuracy\":1.0") != NULL);
  xofm_text_free(text);
  check_ok(xofm_option_table(&text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "\"name\":\"segment_count\"") != NULL);
  xofm_text_free(text);
}

/* Days with a gap, and seconds of which every second lies before 1970; an id of texts. */
static xofm_frame* make_dates(int32_t* days, int64_t* times, const int64_t per_second, int32_t type) {
  for (int i = 0; i < ROWS; ++i) {
    days[i] = i % 11 * 31 - 170;
    times[i] = i % 13 == 0 ? INT64_MIN : (int64_t)(i % 2 == 0 ? 1 : -1) * (i * 3600 + 1800) * per_second;
  }
  xofm_column columns[4] = {column_of("day", XOFM_DAYS32, days, sizeof days[0]),
                            column_of("time", type, times, sizeof times[0]),
                            column_of("a", XOFM_FLOAT32, &matrix[0][0], sizeof matrix[0]),
                            column_of("name", XOFM_LEVELS, codes, sizeof codes[0])};
  columns[3].levels = levels;
  columns[3].level_count = 2;
  xofm_frame* frame = NULL;
  xofm_text* error = NULL;
  check_ok(xofm_frame_from_columns(columns, 4, ROWS, &frame, &error), &error);
  return frame;
}

static void dates_are_numbers_or_parts_of_a_calendar(void) {
  static const char options[] = "{\"tune\": false, \"factor_count\": 0, \"cyclic\": [\"day\"], \"id\": \"name\"}";
  static const struct {
    int64_t per_second;
    int32_t type;
  } units[4] = {{1, XOFM_SECONDS}, {1000, XOFM_MILLISECONDS}, {1000000, XOFM_MICROSECONDS},
                {1000000000, XOFM_NANOSECONDS}};
  static int32_t days[ROWS];
  static int64_t times[ROWS];
  xofm_text* error = NULL;
  xofm_text* texts[4];
  for (int u = 0; u < 4; ++u) {
    xofm_frame* frame = make_dates(days, times, units[u].per_second, units[u].type);
    xofm_model* model = fit_rows(frame, options, 1);
    check_ok(xofm_model_to_text(model, &texts[u], &error), &error);
    CHECK(strcmp(xofm_text_data(texts[u]), xofm_text_data(texts[0])) == 0);
    xofm_text* about = NULL;
    check_ok(xofm_model_describe(model, &about, &error), &error);
    CHECK(strstr(xofm_text_data(about), "\"name\":\"day month\"") != NULL);
    CHECK(strstr(xofm_text_data(about), "\"time\":\"days\"") != NULL);
    CHECK(strstr(xofm_text_data(about), "\"id\":\"name\"") != NULL);
    CHECK(strstr(xofm_text_data(about), "\"name\":\"name\"") == NULL);
    xofm_text_free(about);
    xofm_model_free(model);
    xofm_frame_free(frame);
  }
  for (int u = 0; u < 4; ++u) xofm_text_free(texts[u]);
}

static void rows_are_checked_and_monitored_and_reported(const xofm_frame* frame, const xofm_model* model) {
  const xofm_labels given = make_labels();
  xofm_text* error = NULL;
  xofm_text* text = NULL;
  check_ok(xofm_check(frame, &given, "{\"special\": {\"count\": [0]}}", NULL, &text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "\"row_count\":300") != NULL);
  xofm_text_free(text);
  check_ok(xofm_monitor(model, frame, labels, NULL, NULL, &text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "\"alarm_count\":0") != NULL);
  xofm_text_free(text);
  check_ok(xofm_monitor(model, frame, NULL, "{\"page\": true}", NULL, &text, &error), &error);
  CHECK(strncmp(xofm_text_data(text), "<!", 2) == 0);
  xofm_text_free(text);
  check_error(xofm_monitor(model, frame, NULL, "{\"psy\": 1}", NULL, &text, &error), XOFM_INVALID_OPTION, &error, "psy");
  check_ok(xofm_report(model, frame, labels, "{\"title\": \"Rows\"}", NULL, &text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "Rows") != NULL);
  xofm_text_free(text);
}

static void mistakes_have_a_status_and_a_message(const xofm_frame* frame, const xofm_model* model) {
  xofm_text* error = NULL;
  xofm_model* made = NULL;
  xofm_labels given = make_labels();
  check_error(xofm_fit(frame, &given, "{\"segment_cont\": 3}", NULL, &made, &error), XOFM_INVALID_OPTION, &error,
              "is it 'segment_count'?");
  check_error(xofm_fit(frame, &given, "{\"margin\": -1}", NULL, &made, &error), XOFM_INVALID_OPTION, &error,
              "a positive number");
  check_error(xofm_fit(frame, &given, "not JSON", NULL, &made, &error), XOFM_INVALID_OPTION, &error, "JSON object");
  given.count = ROWS - 1;
  check_error(xofm_fit(frame, &given, NULL, NULL, &made, &error), XOFM_INVALID_DATA, &error, "299 labels for 300 rows");
  xofm_text* metrics = NULL;
  check_error(xofm_evaluate(INT32_MAX, ROWS, labels, labels, NULL, NULL, &metrics, &error), XOFM_INVALID_DATA, &error,
              "it must be in 1..255");
  check_error(xofm_model_load("/there/is/no/such/file", &made, &error), XOFM_IO, &error, "no/such/file");
  check_error(xofm_model_from_text("{}", 2, &made, &error), XOFM_INVALID_MODEL, &error, "");
  CHECK(made == NULL);
  CHECK(xofm_predict(model, NULL, NULL, NULL, NULL) == XOFM_INVALID_OPTION); /* nobody wants the message */

  const xofm_column column = column_of("A", XOFM_FLOAT32, &matrix[0][0], sizeof matrix[0]);
  xofm_frame* lacking = NULL;
  xofm_prediction out = {.struct_size = sizeof out};
  check_ok(xofm_frame_from_columns(&column, 1, ROWS, &lacking, &error), &error);
  check_error(xofm_predict(model, lacking, &out, NULL, &error), XOFM_INVALID_DATA, &error, "is it");
  xofm_frame_free(lacking);
}

static void a_model_is_exported(const xofm_model* model) {
  xofm_text* error = NULL;
  xofm_text* text = NULL;
  check_ok(xofm_export(model, "{\"to\": \"c\", \"name\": \"risk\", \"reasons\": \"high\"}", &text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "void risk_score(const double* numbers") != NULL);
  xofm_text_free(text);
  check_error(xofm_export(model, "{}", &text, &error), XOFM_INVALID_OPTION, &error, "to is missing");
  check_error(xofm_export(model, "{\"to\": \"fortran\"}", &text, &error), XOFM_INVALID_OPTION, &error,
              "must be one of c, python, sql");
  check_error(xofm_export(model, "{\"to\": \"sql\", \"tables\": \"t\"}", &text, &error), XOFM_INVALID_OPTION, &error,
              "no option 'tables'");
}

static void a_callback_can_stop_a_fit(const xofm_frame* frame) {
  const xofm_labels given = make_labels();
  xofm_control control;
  memset(&control, 0, sizeof control);
  control.struct_size = sizeof control;
  control.progress = stop;
  xofm_model* model = NULL;
  xofm_text* error = NULL;
  CHECK(xofm_fit(frame, &given, "{\"tune\": true}", &control, &model, &error) == XOFM_STOPPED);
  CHECK(model != NULL);
  static double scores[ROWS];
  predict_scores(model, frame, scores, NULL);
  xofm_model_free(model);
}

static void arrow_streams_are_read_where_they_lie(void) {
  static int32_t arrow_labels[ARROW_BATCHES * ARROW_ROWS] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  struct ArrowArrayStream stream;
  xofm_frame* frame = NULL;
  xofm_text* error = NULL;
  make_arrow_rows(&stream);
  check_ok(xofm_frame_from_arrow(&stream, &frame, &error), &error);
  CHECK(stream.release == NULL);
  CHECK(xofm_frame_row_count(frame) == ARROW_BATCHES * ARROW_ROWS);
  CHECK(strcmp(xofm_frame_column_name(frame, 2), "colour") == 0);
  CHECK(xofm_frame_column_name(frame, 4) == NULL);
  CHECK(xofm_frame_column_is_text(frame, 1) == 1 && xofm_frame_column_is_text(frame, 3) == 0);

  xofm_labels given = make_labels();
  given.codes = arrow_labels;
  given.count = ARROW_BATCHES * ARROW_ROWS;
  given.class_count = 2;
  xofm_model* model = NULL;
  check_ok(xofm_fit(frame, &given, "{\"tune\": false, \"factor_count\": 0}", NULL, &model, &error), &error);
  xofm_text* text = NULL;
  check_ok(xofm_model_describe(model, &text, &error), &error);
  CHECK(strstr(xofm_text_data(text), "\"levels\":[\"a make with a long name\",\"short\"]") != NULL);
  CHECK(strstr(xofm_text_data(text), "\"levels\":[\"blue\",\"red\"]") != NULL);
  /* Row 2 of each batch has no size: 3 and 9 are not among the values, 1 and 12 are the ends. */
  CHECK(strstr(xofm_text_data(text), "\"knots\":[1.0,2.0,4.0") != NULL);
  CHECK(strstr(xofm_text_data(text), "\"has_missing\":true") != NULL);
  xofm_text_free(text);
  xofm_model_free(model);
  xofm_frame_free(frame);
  CHECK(arrow_alive == 0);

  make_broken_arrow_rows(&stream);
  check_error(xofm_frame_from_arrow(&stream, &frame, &error), XOFM_INVALID_DATA, &error, "the disk is gone");
  CHECK(arrow_alive == 0);
}

/* A damaged stream is refused when it is taken, or a text outside of its buffer when it is read. */
static void damaged_arrow_streams_are_refused(void) {
  static int32_t arrow_labels[ARROW_BATCHES * ARROW_ROWS] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
  for (int kind = DAMAGE_LENGTH; kind < DAMAGE_COUNT; ++kind) {
    struct ArrowArrayStream stream;
    xofm_frame* frame = NULL;
    xofm_text* error = NULL;
    xofm_model* model = NULL;
    make_damaged_arrow_rows(&stream, (enum arrow_damage)kind);
    xofm_status status = xofm_frame_from_arrow(&stream, &frame, &error);
    if (status == XOFM_OK) {
      xofm_labels given = make_labels();
      given.codes = arrow_labels;
      given.count = ARROW_BATCHES * ARROW_ROWS;
      given.class_count = 2;
      status = xofm_fit(frame, &given, "{\"tune\": false}", NULL, &model, &error);
    }
    if (status != XOFM_INVALID_DATA) fprintf(stderr, "damage %d is not seen\n", kind);
    CHECK(status == XOFM_INVALID_DATA);
    CHECK(error != NULL && strlen(xofm_text_data(error)) > 20);
    CHECK(model == NULL);
    xofm_text_free(error);
    xofm_frame_free(frame);
    CHECK(arrow_alive == 0);
  }
}

static void texts_that_are_null_are_refused(xofm_frame* frame) {
  static const char* const names[4] = {"a", NULL, "c", "d"};
  static const char* const no_levels[2] = {"north", NULL};
  xofm_text* error = NULL;
  xofm_frame* made = NULL;
  xofm_model* model = NULL;
  xofm_labels given = make_labels();
  xofm_column column = column_of("place", XOFM_LEVELS, codes, sizeof codes[0]);
  column.level_count = 2;
  check_error(xofm_frame_from_columns(&column, 1, ROWS, &made, &error), XOFM_INVALID_OPTION, &error, "levels are null");
  column.levels = no_levels;
  check_error(xofm_frame_from_columns(&column, 1, ROWS, &made, &error), XOFM_INVALID_OPTION, &error, "levels are null");
  check_error(xofm_frame_rename(frame, names, 4, &error), XOFM_INVALID_OPTION, &error, "a name is null");
  CHECK(strcmp(xofm_frame_column_name(frame, 0), "a") == 0);
  given.class_names = NULL;
  check_error(xofm_fit(frame, &given, NULL, NULL, &model, &error), XOFM_INVALID_OPTION, &error, "classes are null");
  CHECK(made == NULL && model == NULL);
}

int main(int argc, char** argv) {
  CHECK(xofm_abi_version() == XOFM_ABI_VERSION);
  CHECK(strlen(xofm_version()) > 0);
  make_rows();
  xofm_frame* frame = make_frame(0);
  xofm_model* model = fit_rows(frame, "{\"tune\": false}", 1);
  CHECK(calls > 0);
  a_model_learns_and_explains(frame, model);
  columns_are_found_by_name(frame, model);
  a_model_survives_its_text_and_its_file(frame, model, argc > 1 ? argv[1] : ".");
  the_number_of_threads_changes_nothing(frame, model);
  texts_about_a_model_are_there(frame, model);
  mistakes_have_a_status_and_a_message(frame, model);
  a_model_is_exported(model);
  dates_are_numbers_or_parts_of_a_calendar();
  rows_are_checked_and_monitored_and_reported(frame, model);
  a_callback_can_stop_a_fit(frame);
  arrow_streams_are_read_where_they_lie();
  damaged_arrow_streams_are_refused();
  texts_that_are_null_are_refused(frame);
  xofm_model_free(model);
  xofm_frame_free(frame);
  if (failures > 0) fprintf(stderr, "%d checks failed\n", failures);
  return failures > 0;
}
