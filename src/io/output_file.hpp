// Output that appears complete or not at all.
#pragma once

#include <string>
#include <string_view>

namespace xofm::detail {

// Writes to a temporary file beside the target; `commit` puts it in the target's place. Without commit the temporary
// file is removed and the old file stays as it was. "-" is standard output; a target that is not a regular file (a
// pipe, /dev/null) is written directly. A symbolic link stays one: the file it points to is replaced. The mode of an
// existing file is kept. Every failure throws Error{io} with the path, the system's reason and a remedy if there is
// one.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  void open_temporary();
  void flush();
  void close();
  [[noreturn]] void fail(const char* what, int reason) const;

  std::string path_;       // as the user gave it
  std::string target_;     // behind symbolic links
  std::string temporary_;  // empty: written directly
  int file_ = -1;
  std::string buffer_;
};

}  // namespace xofm::detail
