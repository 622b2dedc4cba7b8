// xofm options: the options of training as tables for the documents; hidden from the help.
//
// In a Markdown file each stands between "<!-- options: GROUP -->" and "<!-- end -->".
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <memory>

#include "commands.hpp"
#include "io/output_file.hpp"
#include "options.hpp"

namespace xofm::app {

namespace {

struct Arguments {
  std::string file;
  bool check = false;
};

// What the table of options allows, by name on the command line.
std::map<std::string, std::string> bounds_by_flag() {
  std::map<std::string, std::string> bounds;
  const auto add = [&](const auto& field) {
    if (field.has_flag) bounds[flag_of(field)] = detail::text_of(field.bounds);
  };
  detail::for_each_train_field(add);
  detail::for_each_field<SearchOptions>(add);
  return bounds;
}

std::string code(const std::string& text) { return text.empty() ? "" : fmt::format("`{}`", text); }

// "`a`, `b`" of "a|b".
std::string choices(const std::string& type) {
  std::string text;
  for (const auto& name : CLI::detail::split(type, '|')) text += (text.empty() ? "" : ", ") + code(name);
  return text;
}

std::string table_of(const CLI::App& fit, const std::string& group) {
  static const std::map<std::string, std::string> bounds = bounds_by_flag();
  std::string table = "| option | default | allowed | what it does |\n|---|---|---|---|\n";
  bool is_empty = true;
  for (const CLI::Option* const option : fit.get_options()) {
    if (option->get_group() != group || option->get_positional()) continue;
    is_empty = false;
    const std::string flag = option->get_name();
    const auto bound = bounds.find(flag);
    const bool has_bound = bound != bounds.end() && !bound->second.empty();
    const std::string type = option->get_expected_max() == 0 ? "" : option->get_type_name();
    const bool is_number = type == "INT" || type == "FLOAT" || type == "UINT";
    table += fmt::format("| {} | {} | {} | {} |\n", code(flag), option->get_default_str(),
                         has_bound   ? bound->second
                         : is_number ? "a number"
                                     : choices(type),
                         option->get_description());
  }
  if (is_empty) throw Error(ErrorCode::invalid_data, fmt::format("xofm fit has no options of the group '{}'", group));
  return table;
}

// The text with every table as the program knows it.
std::string updated(const std::string& text, const CLI::App& fit, const std::string& file) {
  constexpr std::string_view begin = "<!-- options: ";
  constexpr std::string_view close = " -->\n";
  constexpr std::string_view end = "<!-- end -->";
  const auto find = [&](std::string_view what, std::size_t from) {
    const std::size_t at = text.find(what, from);
    if (at == std::string::npos) throw Error(ErrorCode::invalid_data, fmt::format("{}: '{}' is missing", file, what));
    return at;
  };
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, done)) {
    const std::size_t name = at + begin.size();
    const std::size_t name_end = find(close, name);
    const std::size_t table = name_end + close.size();
    result += text.substr(done, table - done) + table_of(fit, text.substr(name, name_end - name));
    done = find(end, table);
  }
  return result + text.substr(done);
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorCode::io, fmt::format("cannot read '{}'", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

int run_options(const CLI::App& fit, const Arguments& arguments) {
  if (arguments.file.empty()) {
    for (const char* const group : {"Data", "Model", "Classes", "Training", "Search", "Explanation"}) {
      fmt::print("## {}\n\n{}\n", group, table_of(fit, group));
    }
    return exit_ok;
  }
  const std::string before = read_text(arguments.file);
  const std::string after = updated(before, fit, arguments.file);
  if (after == before) return exit_ok;
  if (arguments.check) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{} does not have the options of this program; write them with: xofm options {}",
                            arguments.file, arguments.file));
  }
  detail::OutputFile file(arguments.file);
  file.write(after);
  file.commit();
  return exit_ok;
}

}  // namespace

void add_option_docs(CLI::App& app, const Common& /*common*/, Run& run) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* const options = app.add_subcommand("options", "The options of training as tables for the documents");
  options->group("");
  options->add_option("file", arguments->file, "Markdown file whose tables are made anew")->type_name("FILE");
  options->add_flag("--check", arguments->check, "Change nothing; fail if a table is not up to date");
  options->callback([arguments, &app, &run] {
    run = [arguments, &app] { return run_options(*app.get_subcommand("fit"), *arguments); };
  });
}

}  // namespace xofm::app
