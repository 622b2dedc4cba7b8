/* Scores rows with an exported C file and nothing else. Cells without quotes, from standard input to standard output:
 *   xofm export model.json --to c -o model.c && cc score.c model.c -lm -o score && ./score <rows.csv */
#define XOFM_MODEL_INTERFACE_ONLY
#include "model.c"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000 };

/* Cuts a line at its commas; the number of cells. */
static int cut(char* line, char** cells) {
  int count = 0;
  line[strcspn(line, "\r\n")] = 0;
  while (line && count < MOST) {
    cells[count++] = line;
    line = strchr(line, ',');
    if (line) *line++ = 0;
  }
  return count;
}

static int place_of(const char* name, char** names, int count) {
  int i;
  for (i = 0; i < count; ++i) {
    if (strcmp(name, names[i]) == 0) return i;
  }
  fprintf(stderr, "there is no column %s\n", name);
  exit(1);
}

int main(void) {
  static char header[100000], line[100000];
  char *names[MOST], *cells[MOST];
  double numbers[XOFM_MODEL_NUMBERS + 1];
  const char* texts[XOFM_MODEL_TEXTS + 1];
  int number_place[XOFM_MODEL_NUMBERS + 1], text_place[XOFM_MODEL_TEXTS + 1];
  int count, j;
  if (!fgets(header, sizeof header, stdin)) return 1;
  count = cut(header, names);
  for (j = 0; j < XOFM_MODEL_NUMBERS; ++j) number_place[j] = place_of(xofm_model_number_names[j], names, count);
  for (j = 0; j < XOFM_MODEL_TEXTS; ++j) text_place[j] = place_of(xofm_model_text_names[j], names, count);
  puts("score,class,reason");
  while (fgets(line, sizeof line, stdin)) {
    xofm_model_result result;
    if (cut(line, cells) != count) return 1;
    for (j = 0; j < XOFM_MODEL_NUMBERS; ++j) {
      const char* const cell = cells[number_place[j]];
      char* end;
      numbers[j] = strtod(cell, &end);
      if (end == cell) numbers[j] = NAN; /* empty: missing */
    }
    for (j = 0; j < XOFM_MODEL_TEXTS; ++j) {
      texts[j] = *cells[text_place[j]] ? cells[text_place[j]] : NULL;
    }
    xofm_model_score(numbers, texts, &result);
    printf("%.17g,%s,%s\n", result.score, xofm_model_class_names[result.class_index],
           result.reasons[0] >= 0 ? xofm_model_part_names[result.reasons[0]] : "");
  }
  return 0;
}
