#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "cli/usage_error.h"

namespace fermata::cli {
namespace {

constexpr std::size_t kHelpColumn = 34;
constexpr const char* kModel = "MODEL";

// The long name: "--verbose" of "-v,--verbose".
std::string long_name(const OptionSpec& spec) { return spec.names.substr(spec.names.rfind("--")); }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
  }
}

[[noreturn]] void refuse_rest(const std::vector<std::string>& rest,
                              const std::vector<OperandSpec>& operands) {
  const auto option =
      std::find_if(rest.begin(), rest.end(), [](const std::string& arg) { return arg.starts_with('-'); });
  if (option != rest.end()) {
    throw UsageError(fmt::format("there is no option {}", option->substr(0, option->find('='))));
  }
  if (operands.size() == 1 && operands.front().name == kModel) {
    throw UsageError(fmt::format("one model is taken at a time; what is '{}'?", rest.front()));
  }
  throw UsageError(fmt::format("'{}' is one word too many", rest.front()));
}

class Parser {
 public:
  explicit Parser(const CommandSpec& command)
      : app_(command.description, command.name), specs_(command.operands), values_(command.operands.size()) {
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      app_.add_option(specs_[i].name, values_[i], specs_[i].help)->type_name("");
    }
    app_.get_formatter()->column_width(kHelpColumn);
    app_.get_formatter()->label("Positionals", specs_.front().name == kModel ? "Model" : "Operands");
    // What is left over is refused with words of our own.
    app_.allow_extras();
    for (const OptionGroup& group : command.groups) {
      for (const OptionSpec& spec : group.options) {
        options_.emplace_back(&spec, add(group, spec));
      }
    }
  }

  // False if help was asked for.
  bool parse(const std::vector<std::string>& args) {
    try {
      app_.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    } catch (const CLI::CallForHelp&) {
      return false;
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string text = error.what();
      throw UsageError(fmt::format("{}: a value is missing", text.substr(0, text.find(':'))));
    } catch (const CLI::ParseError& error) {
      throw UsageError(error.what());
    }
    return true;
  }

  [[nodiscard]] std::string help() const {
    std::string text = app_.help();
    std::string optional_words;
    std::string words;
    for (const OperandSpec& operand : specs_) {
      optional_words += fmt::format(" [{}]", operand.name);
      words += operand.name + " ";
    }
    replace_all(text, "[OPTIONS]" + optional_words, words + "[OPTIONS]");
    replace_all(text, "\n\n\n", "\n\n");
    return text.substr(0, text.find_last_not_of('\n') + 1) + "\n";
  }

  CommandLine take() {
    if (const std::vector<std::string> rest = app_.remaining(); !rest.empty()) {
      refuse_rest(rest, specs_);
    }
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      if (values_[i].empty()) {
        throw UsageError(specs_[i].missing);
      }
    }
    line_.model = values_.front();
    line_.operands = values_;
    for (const auto& [spec, option] : options_) {
      set(*spec, *option);
    }
    return std::move(line_);
  }

 private:
  CLI::Option* add(const OptionGroup& group, const OptionSpec& spec) {
    if (spec.value.empty()) {
      return app_.add_flag(spec.names, spec.help)->group(group.title);
    }
    CLI::Option* option =
        app_.add_option(spec.names, CLI::callback_t([](const CLI::results_t&) { return true; }), spec.help);
    option->multi_option_policy(spec.repeatable ? CLI::MultiOptionPolicy::TakeAll
                                                : CLI::MultiOptionPolicy::TakeLast);
    return option->type_name(spec.value)->expected(1)->group(group.title);
  }

  void set(const OptionSpec& spec, const CLI::Option& option) {
    if (option.count() == 0) {
      return;
    }
    std::vector<std::string> values = option.results();
    if (!spec.repeatable) {
      values = {values.back()};
    }
    const std::string name = long_name(spec);
    for (const std::string& value : values) {
      spec.set(name, value);
    }
    line_.given.emplace_back(name.substr(2), spec.value.empty() ? std::vector<std::string>() : values);
  }

  CLI::App app_;
  std::vector<OperandSpec> specs_;
  std::vector<std::string> values_;
  CommandLine line_;
  std::vector<std::pair<const OptionSpec*, CLI::Option*>> options_;
};

}  // namespace

std::vector<OperandSpec> model_operand() {
  return {{kModel, "a .meta file or the folder of a SavedModel",
           "the model is missing: give a .meta file or the folder of a SavedModel"}};
}

std::optional<CommandLine> parse_command_line(const CommandSpec& command,
                                              const std::vector<std::string>& args) {
  Parser parser(command);
  if (!parser.parse(args)) {
    fmt::print("{}", parser.help());
    return std::nullopt;
  }
  return parser.take();
}

}  // namespace fermata::cli
