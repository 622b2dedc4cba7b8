#include "io/csv_encoding.hpp"

#include <fmt/format.h>

#include <array>

#include "xofm/error.hpp"

namespace xofm::detail {

namespace {

// Windows-1252 from 0x80 to 0x9F; 0 stands for the five bytes that mean nothing.
constexpr std::array<std::uint16_t, 32> windows = {0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,      0x017D, 0,
                                                   0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

void append_letter(std::uint32_t letter, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (letter < 0x80) {
    put(letter);
  } else if (letter < 0x800) {
    put(0xC0 | (letter >> 6));
    put(0x80 | (letter & 0x3F));
  } else if (letter < 0x10000) {
    put(0xE0 | (letter >> 12));
    put(0x80 | ((letter >> 6) & 0x3F));
    put(0x80 | (letter & 0x3F));
  } else {
    put(0xF0 | (letter >> 18));
    put(0x80 | ((letter >> 12) & 0x3F));
    put(0x80 | ((letter >> 6) & 0x3F));
    put(0x80 | (letter & 0x3F));
  }
}

bool has_little_mark(std::string_view text) { return text.starts_with("\xff\xfe"); }
bool has_big_mark(std::string_view text) { return text.starts_with("\xfe\xff"); }

}  // namespace

bool Decoder::changes(std::string_view first_bytes) const {
  if (encoding_ == Encoding::automatic) return has_little_mark(first_bytes) || has_big_mark(first_bytes);
  return encoding_ != Encoding::utf8;
}

void Decoder::start(std::string_view bytes) {
  is_started_ = true;
  const bool has_mark = has_little_mark(bytes) || has_big_mark(bytes);
  if (encoding_ == Encoding::automatic) encoding_ = has_mark ? Encoding::utf16 : Encoding::utf8;
  if (encoding_ != Encoding::utf16 && has_mark) {
    throw Error(ErrorCode::invalid_data, fmt::format("{}: begins as UTF-16 text does; leave --encoding out", file_));
  }
  is_big_endian_ = has_big_mark(bytes);
}

void Decoder::append_utf16(std::string_view bytes, bool is_last, std::string& out) {
  const std::string text = left_ + std::string(bytes);
  const auto refuse = [&](const char* what) {
    throw Error(ErrorCode::invalid_data,
                fmt::format("{}: is no UTF-16 text: {} at byte {}", file_, what, position_ + 1));
  };
  const auto unit = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(text[i]);
    const auto second = static_cast<unsigned char>(text[i + 1]);
    return static_cast<std::uint32_t>(is_big_endian_ ? first << 8 | second : second << 8 | first);
  };
  std::size_t i = 0;
  while (i + 2 <= text.size()) {
    const std::uint32_t high = unit(i);
    std::size_t length = 2;
    std::uint32_t letter = high;
    if (high >= 0xD800 && high <= 0xDFFF) {
      if (i + 4 > text.size() && !is_last) break;
      const std::uint32_t low = i + 4 <= text.size() ? unit(i + 2) : 0;
      if (high > 0xDBFF || low < 0xDC00 || low > 0xDFFF) refuse("half a letter");
      letter = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
      length = 4;
    }
    if (letter != 0xFEFF || position_ > 0) append_letter(letter, out);  // the mark itself says nothing
    i += length;
    position_ += length;
  }
  left_ = text.substr(i);
  if (is_last && !left_.empty()) refuse("half a letter");
}

void Decoder::append(std::string_view bytes, bool is_last, std::string& out) {
  if (!is_started_) start(bytes);
  switch (encoding_) {
    case Encoding::automatic:
    case Encoding::utf8:
      out += bytes;
      return;
    case Encoding::utf16:
      append_utf16(bytes, is_last, out);
      return;
    case Encoding::latin1:
    case Encoding::cp1252:
      break;
  }
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint32_t letter = byte;
    if (encoding_ == Encoding::cp1252 && byte >= 0x80 && byte < 0xA0) letter = windows[byte - 0x80];
    if (letter == 0 && byte != 0) {
      throw Error(ErrorCode::invalid_data, fmt::format("{}: is no Windows-1252 text: byte {:#04x} at byte {} has no "
                                                       "meaning there; try --encoding latin1",
                                                       file_, byte, position_ + 1));
    }
    append_letter(letter, out);
    ++position_;
  }
}

std::string decoded(std::string_view text, Encoding encoding, const std::string& file, bool& is_changed) {
  Decoder decoder(encoding, file);
  is_changed = decoder.changes(text);
  std::string out;
  if (is_changed) decoder.append(text, true, out);
  return out;
}

}  // namespace xofm::detail
