#!/usr/bin/Rscript
# Writes 38 data sets with ordered classes, from what R packages of Debian carry, as CSV files of numbers:
#
#   Rscript experiments/battery/data.R folder
#   Rscript experiments/battery/data.R folder large
#
# or, with "large", ten sets with all their rows.
# Some have grades, stages or ratings as they are; of the others a quantity is cut into classes of about equal size. Columns
# that give the class away are left out, and so are names, columns with gaps in a tenth of the rows, and rows with gaps.
# Categories become one column of 0 and 1 for each value. Of more than 1,000 rows 1,000 are drawn.

args <- commandArgs(trailingOnly = TRUE)
if (!(length(args) == 1 || identical(args[-1], "large"))) stop("usage: Rscript experiments/battery/data.R folder [large]")
folder <- args[1]
row_limit <- if (length(args) == 2) Inf else 1000
dir.create(folder, showWarnings = FALSE, recursive = TRUE)

load_data <- function(package, name) {
  place <- new.env()
  data(list = name, package = package, envir = place)
  as.data.frame(get(name, envir = place))
}

# A column as one or more columns of numbers; none if it has too many values to be a category.
as_numbers <- function(column, name) {
  name <- gsub("[^A-Za-z0-9_]", "_", name)
  if (is.numeric(column) || is.ordered(column)) return(setNames(list(as.numeric(column)), name))
  column <- droplevels(as.factor(column))
  values <- levels(column)
  if (length(values) > 15) return(list())
  if (length(values) == 2) return(setNames(list(as.integer(column) - 1), name))
  setNames(lapply(values, function(value) as.integer(column == value)),
           paste0(name, "_", gsub("[^A-Za-z0-9_]", "_", values)))
}

# Classes 1, 2, ...: `count` of about equal size, or with 0 the values as they are.
as_classes <- function(target, count) {
  if (count == 0) return(as.integer(factor(target)))
  cuts <- unique(quantile(target, seq_len(count - 1) / count))
  findInterval(target, cuts, left.open = TRUE) + 1
}

write_set <- function(name, rows, target, class_count, without = c()) {
  set.seed(1)
  kept <- setdiff(names(rows), c(target, without))
  kept <- kept[sapply(rows[kept], function(column) mean(is.na(column)) < 0.1)]
  rows <- rows[complete.cases(rows[c(kept, target)]), ]
  if (nrow(rows) > row_limit) rows <- rows[sort(sample(nrow(rows), row_limit)), ]
  columns <- unlist(lapply(kept, function(column) as_numbers(rows[[column]], column)), recursive = FALSE)
  columns <- columns[sapply(columns, function(column) length(unique(column)) > 1)]
  table <- data.frame(columns, class = as_classes(rows[[target]], class_count))
  write.csv(table, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  cat(sprintf("%-17s %4d rows, %2d attributes, classes of %s\n", name, nrow(table), length(columns),
              paste(table(table$class), collapse = ", ")))
}

if (row_limit > 1000) {
  write_set("diamond_price", load_data("ggplot2", "diamonds"), "price", 8)
  write_set("diamond_cut", load_data("ggplot2", "diamonds"), "cut", 0)
  write_set("vocabulary", load_data("carData", "Vocab"), "vocabulary", 0)
  write_set("earnings", load_data("AER", "CPSSW8"), "earnings", 6)
  write_set("wage_1988", load_data("AER", "CPS1988"), "wage", 6)
  write_set("loan_rate", load_data("modeldata", "lending_club"), "int_rate", 6, c("sub_grade", "Class"))
  riders <- load_data("modeldata", "Chicago")
  riders$date <- as.numeric(riders$date)
  write_set("train_riders", riders, "ridership", 6)
  write_set("life_expectancy", load_data("dslabs", "gapminder"), "life_expectancy", 8, c("country", "region"))
  write_set("house_price", load_data("ggplot2", "txhousing"), "median", 6, c("city", "volume"))
  # Friedman (1991), with noise.
  set.seed(1)
  x <- data.frame(matrix(round(runif(300000), 4), ncol = 10))
  x$y <- with(x, 10 * sin(pi * X1 * X2) + 20 * (X3 - 0.5)^2 + 10 * X4 + 5 * X5 + 2 * rnorm(nrow(x)))
  write_set("friedman", x, "y", 7)
  quit()
}

# Grades, stages, ratings and levels.
write_set("pbc_stage", load_data("survival", "pbc"), "stage", 0, c("id", "time", "status", "trt"))
write_set("tumour_grade", load_data("TH.data", "GBSG2"), "tgrade", 0, c("time", "cens"))
write_set("diamond_cut", load_data("ggplot2", "diamonds"), "cut", 0)
write_set("marriage_rating", load_data("AER", "Affairs"), "rating", 0)
write_set("health_rating", load_data("HSAUR3", "CHFLS"), "R_health", 0)
write_set("happiness", load_data("HSAUR3", "CHFLS"), "R_happy", 0)
write_set("job_level", load_data("modeldata", "attrition"), "JobLevel", 0, c("MonthlyIncome", "JobRole"))
write_set("household_income", load_data("kernlab", "income"), "INCOME", 0)
credits <- load_data("modeldata", "lending_club")
credits$grade <- pmin(as.integer(factor(substr(as.character(credits$sub_grade), 1, 1))), 5)
write_set("credit_grade", credits, "grade", 0, c("int_rate", "sub_grade", "addr_state"))

# Prices, wages and what schools and houses are worth.
write_set("car_price", load_data("modeldata", "car_prices"), "Price", 5)
write_set("diamond_price", load_data("ggplot2", "diamonds"), "price", 7)
write_set("house_price", load_data("AER", "HousePrices"), "price", 5)
write_set("sacramento_price", load_data("modeldata", "Sacramento"), "price", 5, c("city", "zip"))
homes <- load_data("modeldata", "ames")
write_set("ames_price", homes[sapply(homes, is.numeric)], "Sale_Price", 5)
write_set("wage", load_data("AER", "CPS1985"), "wage", 5)
write_set("professor_salary", load_data("carData", "Salaries"), "salary", 5)
write_set("course_rating", load_data("AER", "TeachingRatings"), "eval", 4, "prof")
write_set("school_maths", load_data("AER", "CASchools"), "math", 5, c("district", "school", "county", "read"))
write_set("college_score", load_data("AER", "CollegeDistance"), "score", 4)
write_set("language_score", load_data("MASS", "nlschools"), "lang", 5, "class")
write_set("vocabulary", load_data("carData", "GSSvocab"), "vocab", 5)

# Countries, states and counties.
write_set("fertility", load_data("carData", "UN98"), "tfr", 5)
write_set("life_expectancy", load_data("dslabs", "gapminder"), "life_expectancy", 6, c("country", "region"))
write_set("county_poverty", load_data("ggplot2", "midwest"), "percbelowpoverty", 5,
          c("PID", "county", "category", "percchildbelowpovert", "percadultpoverty", "percelderlypoverty"))
write_set("violent_crime", load_data("AER", "Guns"), "violent", 5, c("state", "murder", "robbery"))
roads <- load_data("AER", "Fatalities")
roads$rate <- roads$fatal / roads$pop
write_set("road_deaths", roads, "rate", 5,
          c("state", "year", grep("fatal|^pop", names(roads), value = TRUE)))

# Measurements.
write_set("cpu_speed", load_data("MASS", "cpus"), "perf", 5, c("name", "estperf"))
write_set("birth_weight", load_data("MASS", "birthwt"), "bwt", 4, "low")
write_set("glass_sodium", load_data("MASS", "fgl"), "Na", 4)
write_set("ozone_los_angeles", load_data("earth", "ozone1"), "O3", 5)
write_set("ozone_new_york", load_data("datasets", "airquality"), "Ozone", 4, "Day")
write_set("concrete_strength", load_data("modeldata", "concrete"), "compressive_strength", 5)
write_set("biomass_heat", load_data("modeldata", "biomass"), "HHV", 5, c("sample", "dataset"))
write_set("quake_magnitude", load_data("datasets", "quakes"), "mag", 5)
write_set("fuel_economy", load_data("ggplot2", "mpg"), "hwy", 5, c("model", "cty"))
write_set("servo", load_data("mlbench", "Servo"), "Class", 4)
write_set("solder_skips", load_data("rpart", "solder"), "skips", 5)
write_set("elongatedness", load_data("mlbench", "Vehicle"), "Elong", 5, c("Class", "Scat.Ra", "Pr.Axis.Rect"))
