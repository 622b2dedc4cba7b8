// xofm seal: takes responsibility for a model that was changed by hand.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "terminal.hpp"
#include "xofm/model_file.hpp"

namespace xofm::app {

namespace {

struct SealArguments {
  std::string model;
  std::string output;  // empty: in its place
};

int run_seal(const SealArguments& arguments, const Common& common) {
  const std::string& output = arguments.output.empty() ? arguments.model : arguments.output;
  seal_model_file(arguments.model, output);
  if (!common.quiet && output != "-") {
    fmt::print("{} is a valid model and has a new checksum; its record says that it was changed by hand\n",
               printable(output));
  }
  return exit_ok;
}

}  // namespace

void add_seal(CLI::App& app, const Common& common, Run& run) {
  auto arguments = std::make_shared<SealArguments>();
  CLI::App* const seal =
      app.add_subcommand("seal", "Check a model that was changed by hand and give it a new checksum");
  seal->footer(
      R"(A model file has a checksum, and one that does not fit its content is refused: it may be damaged. After a change by
hand this command checks the whole file as every other command does, puts a new checksum in its place and counts in
the member sealed how often that was done; show says so.

Examples:
  xofm seal model.json
  xofm seal edited.json -o model.json)");
  seal->add_option("model", arguments->model, "Model made by fit and changed since")->required()->type_name("MODEL");
  seal->add_option("-o,--output", arguments->output, "Where the sealed model goes; in its own place if not given")
      ->type_name("FILE");
  seal->callback([arguments, &common, &run] { run = [arguments, &common] { return run_seal(*arguments, common); }; });
}

}  // namespace xofm::app
