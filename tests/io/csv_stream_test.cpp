// Chunk by chunk, from plain and compressed files.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "io/csv_read.hpp"
#include "support/compress.hpp"
#include "support/temporary_folder.hpp"
#include "xofm/csv.hpp"
#include "xofm/error.hpp"

namespace xofm {
namespace {

using testing::gzip;
using testing::zstd;

// Rows with quoted line ends, blank lines and missing cells; large enough for several reads of compressed data.
std::string sample(int row_count) {
  std::string text = "x,c,y\n";
  for (int i = 0; i < row_count; ++i) {
    text += fmt::format("{},\"level\n{}\",{}\n", i % 7 == 3 ? std::string("NA") : fmt::format("{}", i * 0.37), i % 3,
                        1 + i % 4);
    if (i % 11 == 0) text += "\n";
  }
  return text;
}

Schema sample_schema() { return detail::read_training_text(sample(50), "sample", {}).schema; }

Dataset read_in_chunks(const std::string& path, const Schema& schema, std::size_t chunk_bytes) {
  CsvReader reader(path, schema, {.read_labels = true, .chunk_bytes = chunk_bytes});
  Dataset all;
  all.columns.resize(schema.attributes.size());
  for (Dataset chunk; reader.next(chunk);) {
    EXPECT_GT(chunk.row_count(), 0U);
    for (std::size_t j = 0; j < all.columns.size(); ++j) {
      all.columns[j].append(chunk.columns[j]);
    }
    all.labels.insert(all.labels.end(), chunk.labels.begin(), chunk.labels.end());
  }
  Dataset rest;
  EXPECT_FALSE(reader.next(rest));
  return all;
}

void expect_sample(const Dataset& data, int row_count) {
  ASSERT_EQ(data.row_count(), static_cast<std::size_t>(row_count));
  ASSERT_EQ(data.labels.size(), static_cast<std::size_t>(row_count));
  for (int i = 0; i < row_count; ++i) {
    const auto row = static_cast<std::size_t>(i);
    ASSERT_TRUE(i % 7 == 3 ? std::isnan(data.columns[0][row]) : data.columns[0][row] == i * 0.37) << i;
    ASSERT_EQ(data.columns[1][row], i % 3);
    ASSERT_EQ(data.labels[row], i % 4);
  }
}

std::string failure(const std::string& path, ErrorCode code = ErrorCode::io) {
  std::string streamed = "no error";
  std::string whole = "no error";
  try {
    read_in_chunks(path, sample_schema(), 1 << 16);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    streamed = error.what();
  }
  try {
    read_csv(path);
  } catch (const Error& error) {
    whole = error.what();
  }
  EXPECT_EQ(streamed, whole);
  return whole.substr(whole.rfind('/') + 1);
}

TEST(CsvReader, ChunksOfAnySizeGiveTheSameRows) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("a.csv", sample(200));
  for (const std::size_t chunk_bytes : {1, 2, 10, 33, 100, 1000, 1 << 20}) {
    expect_sample(read_in_chunks(path, sample_schema(), chunk_bytes), 200);
  }
}

TEST(CsvReader, GzipAndZstdAreReadByTheirEnding) {
  const testing::TemporaryFolder folder;
  const std::string text = sample(100000);
  for (const auto& path : {folder.file("a.csv.gz", gzip(text)), folder.file("a.csv.zst", zstd(text))}) {
    expect_sample(read_in_chunks(path, sample_schema(), 1 << 16), 100000);
    expect_sample(read_csv(path), 100000);
    expect_sample(read_csv(path, sample_schema(), {.read_labels = true}), 100000);
  }
}

TEST(CsvReader, SeveralMembersFollowOneAnother) {
  const testing::TemporaryFolder folder;
  const std::string text = sample(3000);
  const std::string first = text.substr(0, 777);
  const std::string second = text.substr(777);
  expect_sample(read_csv(folder.file("a.gz", gzip(first) + gzip("") + gzip(second) + std::string(512, '\0'))), 3000);
  expect_sample(read_csv(folder.file("a.zst", zstd(first) + zstd(second))), 3000);
}

TEST(CsvReader, TruncatedCompressedFilesAreRefused) {
  const testing::TemporaryFolder folder;
  const std::string text = sample(20000);
  const std::string gz = gzip(text);
  const std::string zst = zstd(text);
  for (const std::size_t cut : {gz.size() / 2, gz.size() - 1, gz.size() - 8, std::size_t{5}, std::size_t{0}}) {
    EXPECT_EQ(failure(folder.file("a.gz", gz.substr(0, cut))), "a.gz: is truncated: the gzip data end too early")
        << cut;
  }
  for (const std::size_t cut : {zst.size() / 2, zst.size() - 1, std::size_t{5}, std::size_t{0}}) {
    EXPECT_NE(failure(folder.file("a.zst", zst.substr(0, cut))).find("is truncated"), std::string::npos) << cut;
  }
}

TEST(CsvReader, DamagedCompressedFilesAreRefused) {
  const testing::TemporaryFolder folder;
  const std::string text = sample(2000);
  EXPECT_NE(failure(folder.file("a.gz", "a,y\n1,1\n")).find("not gzip data"), std::string::npos);
  EXPECT_NE(failure(folder.file("a.zst", "a,y\n1,1\n")).find("not zstd data"), std::string::npos);
  std::string damaged = gzip(text);
  damaged[damaged.size() - 5] = static_cast<char>(~damaged[damaged.size() - 5]);
  EXPECT_NE(failure(folder.file("b.gz", damaged)).find("is damaged"), std::string::npos);
  EXPECT_NE(failure(folder.file("c.gz", gzip(text) + "garbage")).find("is damaged"), std::string::npos);
}

TEST(CsvReader, AZstdWindowThatIsTooLargeIsNotDamage) {
  using namespace std::string_literals;
  const testing::TemporaryFolder folder;
  // As `zstd --long=30` begins a frame: magic number, no flags, a window of 2^30 bytes; then a last raw block.
  const std::string frame = "\x28\xB5\x2F\xFD\x00\xA0"s + "\x61\x00\x00"s + "a,y\n1,1\n2,2\n";
  const std::string path = folder.file("a.zst", frame);
  EXPECT_NE(failure(path).find("needs a window of more than 128 MiB"), std::string::npos) << failure(path);
}

TEST(CsvReader, LinesAreCountedAcrossChunks) {
  const testing::TemporaryFolder folder;
  std::string text = sample(100);
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const std::string path = folder.file("a.csv", text + "1,x,1\nold,x,1\n");
  for (const std::size_t chunk_bytes : {1, 50, 1 << 20}) {
    try {
      read_in_chunks(path, sample_schema(), chunk_bytes);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("line {}, column \"x\": \"old\"", lines + 2)),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(CsvReader, EmptyCellsOfASingleColumnSurviveChunkBordersAndBlankLinesAtTheEndDoNot) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("a.csv", "x\n1\n\n\n\n2\n\n\n\n");
  Schema schema;
  schema.attributes.emplace_back().name = "x";
  for (const std::size_t chunk_bytes : {1, 2, 3, 100}) {
    CsvReader reader(path, schema, {.chunk_bytes = chunk_bytes});
    std::vector<double> values;
    for (Dataset chunk; reader.next(chunk);)
      values.insert(values.end(), chunk.columns[0].begin(), chunk.columns[0].end());
    ASSERT_EQ(values.size(), 5U);
    EXPECT_EQ(values[4], 2);
    EXPECT_TRUE(std::isnan(values[3]));
  }
}

TEST(CsvReader, AnUnclosedQuoteDoesNotPullTheWholeFileIntoMemory) {
  const testing::TemporaryFolder folder;
  std::string text = "x,c,y\n1,\"a,1\n";
  while (text.size() < (std::size_t{100} << 20)) text += "1,a,1\n1,b,2\n2,c,2\n3,d,3\n4,e,4\n5,f,5\n6,g,6\n7,h,7\n";
  const std::string path = folder.file("a.csv", text);
  text.clear();
  CsvReader reader(path, sample_schema());
  Dataset chunk;
  try {
    while (reader.next(chunk)) {
    }
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("line 2: a quote opens here that is never closed"), std::string::npos);
  }
}

TEST(CsvReader, TheHeaderIsCheckedAtOnce) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(CsvReader(folder.path("none.csv"), sample_schema()), Error);
  EXPECT_THROW(CsvReader(folder.file("empty.csv", ""), sample_schema()), Error);
  EXPECT_THROW(CsvReader(folder.file("other.csv", "a,b\n"), sample_schema()), Error);
  CsvReader no_rows(folder.file("header.csv", "c,x"), sample_schema());
  Dataset chunk;
  EXPECT_FALSE(no_rows.next(chunk));
}

TEST(CsvReader, ADashIsStandardInputAndAPipeIsReadToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string text = sample(20000);
  std::thread writer([&] {
    for (std::size_t i = 0; i < text.size(); i += 1000) {
      const std::string part = text.substr(i, 1000);
      EXPECT_EQ(::write(ends[1], part.data(), part.size()), static_cast<ssize_t>(part.size()));
    }
    ::close(ends[1]);
  });
  const int saved = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  ::close(ends[0]);
  const Dataset data = read_in_chunks("-", sample_schema(), 5000);
  writer.join();
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  expect_sample(data, 20000);
}

}  // namespace
}  // namespace xofm
