#include "cli/npy_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <string>

#include "fermata/error.h"
#include "tests/support/fixtures.h"
#include "tests/support/temp_folder.h"

namespace fermata::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NpyFile open_fixture(const std::string& name) { return NpyFile(fixture_path("npy/" + name)); }

// What is said about the file, without its path.
std::string refusal(const std::string& path) {
  try {
    const NpyFile file(path);
  } catch (const Error& error) {
    const std::string text = error.what();
    return text.starts_with(path + ": ") ? text.substr(path.size() + 2) : text;
  }
  return "accepted";
}
std::string fixture_refusal(const std::string& name) { return refusal(fixture_path("npy/" + name)); }

// As numpy.save writes it, with any header.
std::string npy_bytes(const std::string& header, const std::string& data) {
  std::string bytes = "\x93NUMPY\x01";
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

std::string written(const TempFolder& folder, const std::string& bytes) {
  const std::string path = folder / "written.npy";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(NpyFileTest, ReadsEachPlainType) {
  for (const auto& [name, dtype] : {std::pair<const char*, DType>{"float32", DType::kFloat},
                                    {"float64", DType::kDouble},
                                    {"float16", DType::kHalf},
                                    {"int8", DType::kInt8},
                                    {"int16", DType::kInt16},
                                    {"int32", DType::kInt32},
                                    {"int64", DType::kInt64},
                                    {"uint8", DType::kUInt8},
                                    {"uint16", DType::kUInt16},
                                    {"uint32", DType::kUInt32},
                                    {"uint64", DType::kUInt64}}) {
    const NpyFile file = open_fixture(std::string(name) + ".npy");
    EXPECT_EQ(file.dtype(), dtype);
    EXPECT_THAT(file.shape(), ElementsAre(3, 2));
    const Tensor rows = file.rows_from(0, 3);
    for (std::int64_t i = 0; i < 6; ++i) {
      EXPECT_EQ(rows.view().as_double(i), static_cast<double>(i)) << name;
    }
  }
}

TEST(NpyFileTest, ReadsBoolsAndComplexNumbers) {
  EXPECT_THAT(open_fixture("bool.npy").rows_from(0, 3).view().values<bool>(),
              ElementsAre(false, true, false, true, false, true));
  const std::complex<double> last(5, 1);
  EXPECT_EQ(open_fixture("complex128.npy").rows_from(2, 1).view().values<std::complex<double>>()[1], last);
  EXPECT_EQ(open_fixture("complex64.npy").rows_from(2, 1).view().values<std::complex<float>>()[1],
            std::complex<float>(5, 1));
}

TEST(NpyFileTest, ReadsTheLaterVersionsOfTheFormat) {
  for (const char* name : {"version_2.npy", "version_3.npy"}) {
    EXPECT_THAT(open_fixture(name).rows_from(1, 1).view().values<float>(), ElementsAre(2, 3));
  }
}

TEST(NpyFileTest, ReadsTexts) {
  const Tensor bytes = open_fixture("bytes.npy").rows_from(0, 3);
  EXPECT_EQ(bytes.dtype(), DType::kString);
  EXPECT_EQ(bytes.view().string(1), "bcd");
  EXPECT_EQ(bytes.view().string(2), std::string("e\0f", 3));
  const Tensor unicode = open_fixture("unicode.npy").rows_at(std::array<std::uint32_t, 2>{2, 0});
  EXPECT_EQ(unicode.view().string(0), "é");
  EXPECT_EQ(unicode.view().string(1), "a");
}

TEST(NpyFileTest, RowsComeInAnyOrder) {
  const Tensor rows = open_fixture("int32.npy").rows_at(std::array<std::uint32_t, 3>{2, 0, 2});
  EXPECT_THAT(rows.shape(), ElementsAre(3, 2));
  EXPECT_THAT(rows.view().values<std::int32_t>(), ElementsAre(4, 5, 0, 1, 4, 5));
}

TEST(NpyFileTest, RowsOutliveTheFile) {
  Tensor rows;
  { rows = open_fixture("float32.npy").rows_from(1, 2); }
  EXPECT_THAT(rows.view().values<float>(), ElementsAre(2, 3, 4, 5));
}

TEST(NpyFileTest, ReadsValuesThatLieAtAnOddPlace) {
  const TempFolder folder;
  const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1), }\n";
  const std::string odd = header.size() % 2 == 0 ? " " : "";
  const NpyFile file(written(folder, npy_bytes(odd + header, std::string("\x07\0\0\0", 4))));
  EXPECT_THAT(file.rows_from(0, 1).view().values<std::int32_t>(), ElementsAre(7));
}

TEST(NpyFileTest, RefusesWhatIsNoFile) {
  EXPECT_EQ(refusal("/nowhere/x.npy"), "there is no such file; expected an array in a .npy file");
  EXPECT_EQ(refusal(FERMATA_TEST_FIXTURES), "expected a .npy file, found a folder");
}

TEST(NpyFileTest, RefusesTornFiles) {
  EXPECT_EQ(
      fixture_refusal("torn_data.npy"),
      "torn: float32 [3,2] needs 24 bytes after the header, found 19; copy it again or save the array again");
  EXPECT_THAT(fixture_refusal("torn_header.npy"),
              HasSubstr("torn: the header takes 128 bytes, the file ends after 40"));
  EXPECT_THAT(fixture_refusal("longer.npy"), HasSubstr("needs 24 bytes after the header, found 28"));
}

TEST(NpyFileTest, RefusesOtherKindsInWords) {
  EXPECT_THAT(fixture_refusal("fortran.npy"), HasSubstr("Fortran order"));
  EXPECT_THAT(fixture_refusal("big_endian.npy"), HasSubstr("big-endian ('>f4'); save a.astype('<f4')"));
  EXPECT_THAT(fixture_refusal("objects.npy"), HasSubstr("NumPy's type '|O'"));
  EXPECT_THAT(fixture_refusal("dates.npy"), HasSubstr("NumPy's type '<M8[D]'"));
  EXPECT_THAT(fixture_refusal("structured.npy"), HasSubstr("named fields"));
  EXPECT_THAT(fixture_refusal("no_magic.npy"), HasSubstr("begins otherwise"));
  EXPECT_THAT(fixture_refusal("version_9.npy"), HasSubstr("found 9.0"));
  EXPECT_THAT(fixture_refusal("scalar.npy"), HasSubstr("found a single value"));
  EXPECT_THAT(fixture_refusal("zero_rows.npy"), HasSubstr("the array [0,2] has no rows"));
}

TEST(NpyFileTest, TakesRowsWithoutElements) {
  EXPECT_EQ(open_fixture("zero_columns.npy").rows_from(0, 3).size(), 0);
}

TEST(NpyFileTest, RefusesSizesThatDoNotFitIntoMemory) {
  const TempFolder folder;
  const std::string path = written(
      folder,
      npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 99), }", "1234"));
  EXPECT_THAT(refusal(path), HasSubstr("needs more bytes than there are"));
}

TEST(NpyFileTest, EachHeaderThatIsCutOffIsRefused) {
  const TempFolder folder;
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  for (std::size_t length = 0; length < header.size(); ++length) {
    EXPECT_NE(refusal(written(folder, npy_bytes(header.substr(0, length), "1234"))), "accepted") << length;
  }
  EXPECT_EQ(refusal(written(folder, npy_bytes(header, "1234"))), "accepted");
}

TEST(NpyFileTest, EachFileThatIsCutOffIsRefused) {
  const TempFolder folder;
  const std::string bytes = npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "1234");
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_NE(refusal(written(folder, bytes.substr(0, length))), "accepted") << length;
  }
}

}  // namespace
}  // namespace fermata::cli
