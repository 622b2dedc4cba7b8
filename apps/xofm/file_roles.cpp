#include "file_roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "xofm/error.hpp"

namespace xofm::app {

namespace {

// `--model` is written by path alone; everywhere else a model is the first word.
constexpr std::array<std::string_view, 8> output_options = {
    "--output", "--model", "--predictions", "--table", "--export-splits", "--splits-out", "--truth", "--page"};

struct NamedFile {
  std::string option;
  std::string path;
};

// What is not given may have a default, as the output of fit. `standard_stream` is what "-" stands for.
void add_files(const CLI::Option& option, const std::string& name, const std::string& standard_stream,
               std::vector<NamedFile>& files) {
  std::vector<std::string> paths = option.results();
  if (paths.empty() && !option.get_default_str().empty()) paths = {option.get_default_str()};
  for (const auto& path : paths) {
    const std::string& file = path == "-" ? standard_stream : path;
    if (!file.empty()) files.push_back({name, file});
  }
}

// Pipes and devices may well be both.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::exists(a, error)) {
    return std::filesystem::is_regular_file(a, error) && std::filesystem::equivalent(a, b, error);
  }
  const auto absolute = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return absolute(a) == absolute(b) && !error;
}

}  // namespace

void refuse_empty_paths(const CLI::App& command) {
  for (const CLI::Option* const option : command.get_options()) {
    const std::string type = option->get_type_name();
    // What stands without a name says so by itself, as --output does.
    if (option->get_positional() || (type != "FILE" && type != "MODEL") || option->check_name("--output")) continue;
    const std::vector<std::string>& paths = option->results();
    if (std::find(paths.begin(), paths.end(), "") == paths.end()) continue;
    throw Error(ErrorCode::io, fmt::format("the path of --{} is empty; give the name of a file, or leave --{} out",
                                           option->get_single_name(), option->get_single_name()));
  }
}

void refuse_overwritten_input(const CLI::App& command) {
  std::vector<NamedFile> inputs;
  std::vector<NamedFile> outputs;
  const std::string standard_input = "/dev/stdin";  // may well be a file
  // A model that training starts from is replaced on purpose.
  const bool replaces_models = command.get_name() == "fit";
  if (command.get_parent() != nullptr && command.get_parent()->get_config_ptr() != nullptr) {
    add_files(*command.get_parent()->get_config_ptr(), "--config", "", inputs);
  }
  for (const CLI::Option* const option : command.get_options()) {
    const std::string type = option->get_type_name();
    const std::string name = option->get_name();
    if (option->get_positional()) {
      if (type == "FILE" || type == "MODEL") add_files(*option, name, standard_input, inputs);
    } else if (std::find(output_options.begin(), output_options.end(), "--" + option->get_single_name()) !=
               output_options.end()) {
      add_files(*option, "--" + option->get_single_name(), "", outputs);
    } else if (type == "FILE" || (type == "MODEL" && !replaces_models)) {
      add_files(*option, "--" + option->get_single_name(), standard_input, inputs);
    }
  }
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    for (const NamedFile& input : inputs) {
      if (!is_same_file(input.path, output->path)) continue;
      throw Error(ErrorCode::invalid_option,
                  fmt::format("{} is '{}', which is also the {} to read and would be lost; choose another file, or add "
                              "--force",
                              output->option, output->path, input.option));
    }
    for (auto other = std::next(output); other != outputs.end(); ++other) {
      if (!is_same_file(output->path, other->path)) continue;
      throw Error(ErrorCode::invalid_option, fmt::format("{} and {} are both '{}'; the second would replace the first",
                                                         output->option, other->option, other->path));
    }
  }
}

}  // namespace xofm::app
