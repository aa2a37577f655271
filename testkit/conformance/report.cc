#include "conformance/report.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <stdexcept>

#include "conformance/errors.h"
#include "conformance/judge.h"
#include "conformance/play.h"

namespace fermata::conformance {
namespace {

std::vector<Scenario> chosen(const Choice& choice, const std::string& folder, std::set<std::string>& found) {
  std::vector<Scenario> scenarios;
  for (Scenario& scenario : read_scenarios(folder)) {
    const bool wanted = choice.only.empty() ||
                        std::find(choice.only.begin(), choice.only.end(), scenario.id) != choice.only.end();
    if (wanted) {
      found.insert(scenario.id);
      scenarios.push_back(std::move(scenario));
    }
  }
  return scenarios;
}

Judgement judged(const Scenario& scenario, const Engine& engine, bool show_observed) {
  try {
    const Json observed = play(scenario, engine);
    Judgement judgement = judge(scenario, engine.name(), observed);
    if (show_observed && judgement.ruling == Ruling::kFailed) {
      judgement.text += "    observed: " + observed.dump() + "\n";
    }
    return judgement;
  } catch (const NotExpressible& reason) {
    return {Ruling::kNotExpressible, reason.what(), {}};
  } catch (const std::exception& error) {
    return {Ruling::kFailed, std::string("    it could not be played: ") + error.what() + "\n", {}};
  }
}

class Report {
 public:
  explicit Report(bool verbose) : verbose_(verbose) {}

  void add(const Scenario& scenario, const std::string& engine, const Judgement& judgement) {
    ++counts_[judgement.ruling];
    const std::string title = scenario.id + " (" + engine + ")";
    if (judgement.ruling == Ruling::kFailed) {
      std::printf("FAILED %s\n%s", title.c_str(), judgement.text.c_str());
    } else if (judgement.ruling == Ruling::kNotExpressible) {
      std::printf("not expressible: %s: %s\n", title.c_str(), judgement.text.c_str());
    } else if (verbose_) {
      std::printf("%s: %s", judgement.ruling == Ruling::kPassed ? "passed" : "deviates", title.c_str());
      for (const std::string& rule : judgement.rules) {
        std::printf(" [%s]", rule.c_str());
      }
      std::printf("\n");
    }
    for (const std::string& rule : judgement.rules) {
      ++rules_[rule];
    }
  }

  [[nodiscard]] int finish() {
    for (const auto& [rule, times] : rules_) {
      std::printf("%s: made the difference in %d\n", rule.c_str(), times);
    }
    std::printf("%d passed, %d failed, %d deviations, %d not expressible\n", counts_[Ruling::kPassed],
                counts_[Ruling::kFailed], counts_[Ruling::kDeviation], counts_[Ruling::kNotExpressible]);
    return counts_[Ruling::kFailed] == 0 ? 0 : 1;
  }

 private:
  bool verbose_;
  std::map<Ruling, int> counts_;
  std::map<std::string, int> rules_;
};

}  // namespace

int run_and_report(const Choice& choice) {
  Report report(choice.verbose);
  std::set<std::string> found;
  for (const std::string& folder : choice.folders) {
    std::vector<std::unique_ptr<Engine>> engines;
    if (choice.native) {
      engines.push_back(make_native_engine());
    }
    if (choice.tensorflow) {
      engines.push_back(make_tensorflow_engine(folder));
    }
    for (const Scenario& scenario : chosen(choice, folder, found)) {
      for (const std::unique_ptr<Engine>& engine : engines) {
        report.add(scenario, engine->name(), judged(scenario, *engine, choice.show_observed));
        std::fflush(stdout);
      }
    }
  }
  for (const std::string& id : choice.only) {
    if (found.count(id) == 0) {
      throw std::runtime_error("there is no scenario '" + id + "' in the folders that were given");
    }
  }
  return report.finish();
}

}  // namespace fermata::conformance
