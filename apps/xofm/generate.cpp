// xofm generate: rows of any number from a known truth.
#include "xofm/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "core/base/parallel.hpp"
#include "io/json_text.hpp"
#include "io/output_file.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace xofm::app {

namespace {

struct GenerateArguments {
  GenerateOptions options;
  std::vector<std::string> curves;
  std::vector<std::string> products;
  std::string output = "-";
  std::string truth;
};

void complete(GenerateArguments& arguments) {
  for (const auto& name : arguments.curves) {
    const auto curve = curve_from(name);
    if (!curve) {
      throw Error(ErrorCode::invalid_option,
                  fmt::format("--curves: '{}' is not a curve; known are {}", name, fmt::join(curve_names(), ", ")));
    }
    arguments.options.curves.push_back(*curve);
  }
  if (!arguments.products.empty()) {
    auto& products = arguments.options.products.emplace();
    for (const auto& text : arguments.products) {
      if (text != "none") products.push_back(product_from(text));
    }
  }
}

std::string rows_text(const Generator& generator, std::size_t first, std::size_t count) {
  const Dataset rows = generator.rows(first, count);
  std::string text;
  auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < rows.columns.size(); ++j) {
      const double value = rows.columns[j][i];
      const auto& attribute = rows.schema.attributes[j];
      if (attribute.kind == AttributeKind::categorical && !std::isnan(value)) {
        text += attribute.levels[static_cast<std::size_t>(value)];
      } else if (!std::isnan(value)) {
        fmt::format_to(out, "{}", value);
      }
      text += ',';
    }
    text += rows.schema.class_names[static_cast<std::size_t>(rows.labels[i])];
    text += '\n';
  }
  return text;
}

void write_truth(const Generator& generator, const std::string& path) {
  const GenerateOptions& options = generator.options();
  nlohmann::ordered_json truth = {{"seed", options.seed},
                                  {"noise_stddev", generator.noise_stddev()},
                                  {"cuts", generator.cuts()},
                                  {"class_shares", options.class_shares}};
  for (std::size_t j = 0; j < options.curves.size(); ++j) {
    truth["attributes"].push_back({{"name", generator.schema().attributes[j].name},
                                   {"curve", name_of(options.curves[j])},
                                   {"weight", options.weights[j]},
                                   {"scale", name_of(generator.scale(static_cast<int>(j)))}});
  }
  truth["products"] = nlohmann::ordered_json::array();
  for (const auto& product : *options.products) truth["products"].push_back(text_of(product));
  detail::OutputFile file(path);
  file.write(detail::to_readable_text(truth));
  file.commit();
}

int run_generate(GenerateArguments arguments, const Common& common) {
  complete(arguments);
  const Generator generator(arguments.options);
  const Schema& schema = generator.schema();
  detail::OutputFile file(arguments.output);
  std::string header;
  for (const auto& attribute : schema.attributes) header += attribute.name + ',';
  file.write(header + schema.label_name + '\n');

  // Chunks of blocks made in parallel and written in order: memory does not grow with the rows.
  constexpr std::size_t block_rows = 1024;
  constexpr std::size_t blocks_per_chunk = 32;
  const std::size_t row_count = arguments.options.row_count;
  const InterruptGuard guard;  // Ctrl-C leaves no half-written file behind
  ProgressBar bar("generate", !common.quiet);
  for (std::size_t first = 0; first < row_count; first += block_rows * blocks_per_chunk) {
    if (InterruptGuard::interrupted()) return exit_interrupted;
    const std::size_t chunk_rows = std::min(block_rows * blocks_per_chunk, row_count - first);
    std::vector<std::string> texts((chunk_rows + block_rows - 1) / block_rows);
    detail::parallel_for(texts.size(), [&](std::size_t block) {
      const std::size_t begin = block * block_rows;
      texts[block] = rows_text(generator, first + begin, std::min(block_rows, chunk_rows - begin));
    });
    for (const auto& text : texts) file.write(text);
    bar.update(static_cast<double>(first + chunk_rows) / static_cast<double>(row_count),
               fmt::format("{} rows", first + chunk_rows));
  }
  file.commit();
  if (!arguments.truth.empty()) write_truth(generator, arguments.truth);
  return exit_ok;
}

}  // namespace

void add_generate(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<GenerateArguments>();
  auto& options = arguments->options;
  CLI::App* const generate = app.add_subcommand("generate", "Write data of any size from a known truth");
  generate->footer(fmt::format(
      R"(The true score is a sum of named curves of the attributes x1, x2, ... and of products of two of them; classes are
cut from it after adding noise. Curves: {}.

Examples:
  xofm generate --rows 1000000 --attributes 10 --classes 5 --seed 1 -o big.csv
  xofm generate --rows 500 --attributes 3 --curves linear,hump,flat --products x1*x2:0.5 --truth truth.json -o s.csv)",
      fmt::join(curve_names(), ", ")));
  add_number(*generate, "--rows", options.row_count, "Rows to write");
  add_number(*generate, "--attributes", options.attribute_count, "Attributes x1, x2, ...");
  add_number(*generate, "--classes", options.class_count, "Classes 1, 2, ...");
  add_number(*generate, "--seed", options.seed, "Same seed, same rows");
  add_number(*generate, "--noise", options.noise, "Spread of the noise, as a share of that of the true score");
  as_list(generate->add_option("--shares", options.class_shares, "Share of each class (default: equal)"), "SHARE,...")
      ->check(number_problem<double>);
  as_list(generate->add_option("--curves", arguments->curves, "One per attribute (default: all in turn)"), "CURVE,...");
  as_list(generate->add_option("--products", arguments->products,
                               "Products of two attributes with their strength, or none"),
          "x1*x2:0.5,...");
  add_number(*generate, "--categorical", options.categorical_count, "So many of the last attributes are categorical");
  add_number(*generate, "--missing", options.missing_share, "Share of cells left empty");
  generate->add_option("-o,--output", arguments->output, "Where the rows go; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  generate->add_option("--truth", arguments->truth, "Also write the truth as JSON")->type_name("FILE");
  generate->callback(
      [arguments, &common, &run] { run = [arguments, &common] { return run_generate(*arguments, common); }; });
}

}  // namespace xofm::app
