#include "cli/npy_header.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "fermata/error.h"

namespace fermata::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// Magic, two bytes of version, then the length of the dictionary.
constexpr std::size_t kVersionEnd = 8;

struct TypeCode {
  std::string_view code;  // without the byte order
  DType dtype;
};
constexpr std::array<TypeCode, 14> kTypeCodes = {{{"f4", DType::kFloat},
                                                  {"f8", DType::kDouble},
                                                  {"f2", DType::kHalf},
                                                  {"i1", DType::kInt8},
                                                  {"i2", DType::kInt16},
                                                  {"i4", DType::kInt32},
                                                  {"i8", DType::kInt64},
                                                  {"u1", DType::kUInt8},
                                                  {"u2", DType::kUInt16},
                                                  {"u4", DType::kUInt32},
                                                  {"u8", DType::kUInt64},
                                                  {"b1", DType::kBool},
                                                  {"c8", DType::kComplex64},
                                                  {"c16", DType::kComplex128}}};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Code::kInvalidArgument, path + ": " + why);
}

[[noreturn]] void unreadable(const std::string& path) {
  refuse(path, "the header is not one that numpy.save writes; save the array again");
}

// The header's text: a Python dictionary with the keys descr, fortran_order and shape. Walks over it.
class Dictionary {
 public:
  Dictionary(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  bool accept(char wanted) {
    skip_blanks();
    if (text_.empty() || text_.front() != wanted) {
      return false;
    }
    text_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) {
      unreadable(path_);
    }
  }

  std::string_view quoted() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') {
      expect('"');
    }
    const std::size_t end = text_.find(quote);
    if (end == std::string_view::npos) {
      unreadable(path_);
    }
    const std::string_view content = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return content;
  }

  bool boolean() {
    skip_blanks();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return value;
      }
    }
    unreadable(path_);
  }

  Shape tuple() {
    Shape sizes;
    expect('(');
    while (!accept(')')) {
      sizes.push_back(size());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  // A structured type is a list; nothing else in a header begins like one.
  bool at_list() {
    skip_blanks();
    return text_.starts_with('[') || text_.starts_with('(');
  }

 private:
  void skip_blanks() {
    const std::size_t blanks = std::min(text_.find_first_not_of(" \n\t"), text_.size());
    text_.remove_prefix(blanks);
  }

  std::int64_t size() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) {
      unreadable(path_);
    }
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
    return value;
  }

  std::string_view text_;
  const std::string& path_;
};

struct Fields {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
};

Fields read_fields(std::string_view text, const std::string& path) {
  Fields fields;
  Dictionary dictionary(text, path);
  dictionary.expect('{');
  while (!dictionary.accept('}')) {
    const std::string_view key = dictionary.quoted();
    dictionary.expect(':');
    if (key == "descr") {
      if (dictionary.at_list()) {
        refuse(path, "the elements have named fields; save each field as an array of its own");
      }
      fields.descr = dictionary.quoted();
    } else if (key == "fortran_order") {
      fields.fortran_order = dictionary.boolean();
    } else if (key == "shape") {
      fields.shape = dictionary.tuple();
    } else {
      unreadable(path);
    }
    if (!dictionary.accept(',')) {
      dictionary.expect('}');
      break;
    }
  }
  return fields;
}

// The length of one text element: "S12", "U3".
std::optional<std::size_t> text_length(std::string_view code) {
  std::size_t length = 0;
  const auto [stop, error] = std::from_chars(code.data() + 1, code.data() + code.size(), length);
  const bool whole = error == std::errc() && stop == code.data() + code.size();
  // More than a tensor's string can hold is no length.
  return whole && length <= (std::size_t{1} << 40) ? std::optional<std::size_t>(length) : std::nullopt;
}

void set_type(NpyHeader& header, std::string_view descr, const std::string& path) {
  const char order = descr.empty() ? ' ' : descr.front();
  const std::string_view code = descr.substr(std::min<std::size_t>(1, descr.size()));
  if (order == '>') {
    refuse(path, fmt::format("the values are big-endian ('{}'); save a.astype('<{}') instead", descr, code));
  }
  for (const TypeCode& known : kTypeCodes) {
    if (known.code == code && (order == '<' || order == '|' || order == '=')) {
      header.dtype = known.dtype;
      header.item_bytes = dtype_size(known.dtype);
      return;
    }
  }
  const bool text = code.starts_with('S') || code.starts_with('U');
  if (const auto length = text ? text_length(code) : std::nullopt) {
    header.kind = code.front() == 'S' ? NpyKind::kBytes : NpyKind::kUnicode;
    header.dtype = DType::kString;
    header.item_bytes = *length * (header.kind == NpyKind::kUnicode ? 4 : 1);
    return;
  }
  refuse(path,
         fmt::format("elements of NumPy's type '{}' cannot be fed; save numbers, bools or texts", descr));
}

struct HeaderPlace {
  std::size_t begin = 0;
  std::size_t length = 0;
};

HeaderPlace find_header(std::span<const char> file, const std::string& path) {
  const std::string_view bytes(file.data(), file.size());
  if (!bytes.starts_with(kMagic)) {
    refuse(path, "expected a .npy file as numpy.save writes it, found a file that begins otherwise");
  }
  if (bytes.size() < kVersionEnd + 4) {
    throw Error(Code::kDataLoss,
                fmt::format("{}: torn: the file ends after {} bytes, inside of its header; copy it "
                            "again or save the array again",
                            path, bytes.size()));
  }
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  if (byte(6) < 1 || byte(6) > 3) {
    refuse(path,
           fmt::format("expected version 1, 2 or 3 of the .npy format, found {}.{}; save the array again",
                       byte(6), byte(7)));
  }
  if (byte(6) == 1) {
    return {kVersionEnd + 2, byte(8) | byte(9) << 8};
  }
  return {kVersionEnd + 4, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
}

}  // namespace

NpyHeader parse_npy_header(std::span<const char> file, const std::string& path) {
  const HeaderPlace place = find_header(file, path);
  if (file.size() - place.begin < place.length) {
    throw Error(Code::kDataLoss,
                fmt::format("{}: torn: the header takes {} bytes, the file ends after {}; copy it "
                            "again or save the array again",
                            path, place.begin + place.length, file.size()));
  }
  const Fields fields = read_fields(std::string_view(file.data() + place.begin, place.length), path);
  if (!fields.descr || !fields.fortran_order || !fields.shape) {
    unreadable(path);
  }
  NpyHeader header;
  set_type(header, *fields.descr, path);
  header.shape = *fields.shape;
  header.data_offset = place.begin + place.length;
  if (*fields.fortran_order && header.shape.size() > 1) {
    refuse(path,
           "the array is in Fortran order, column after column, and rows are needed one after the other; "
           "save numpy.ascontiguousarray(a)");
  }
  return header;
}

}  // namespace fermata::cli
