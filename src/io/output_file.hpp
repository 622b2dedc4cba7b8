// Output that appears complete or not at all.
#pragma once

#include <string>
#include <string_view>

namespace xofm::detail {

// Writes to a file without a name in the target's folder; `commit` puts it in the target's place. Until then nothing is
// to be seen, and if the program is killed nothing remains. Where the file system has no files without names, it has a
// temporary one (`.xofm-*.tmp`), which goes with the object; what a killed program has left is removed when the next
// output goes to the folder. Without commit the old file stays as it was. "-" is standard output; a target that is not
// a regular file (a pipe, /dev/null) is written directly. A symbolic link stays one: the file it points to is replaced.
// The mode of an existing file is kept. Every failure throws Error{io} with the path, the system's reason and a remedy
// if there is one.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void commit();

 private:
  enum class Kind { standard_output, direct, nameless, temporary };

  bool open_nameless(const std::string& folder);
  void open_temporary(const std::string& folder);
  void link_nameless();
  void copy_to_temporary();
  void write_all(std::string_view text);
  void flush();
  void close();
  [[noreturn]] void fail(const char* what, int reason) const;

  std::string path_;       // as the user gave it
  std::string target_;     // behind symbolic links
  std::string temporary_;  // its name, while it has one
  Kind kind_ = Kind::direct;
  int file_ = -1;
  std::string buffer_;
};

}  // namespace xofm::detail
