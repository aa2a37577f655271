#include "conformance/native_counter.h"

#include <cmath>
#include <utility>

#include "conformance/errors.h"
#include "fermata/error.h"

namespace fermata::conformance {
namespace {

native::Graph::Options options_of(const Json& spec) {
  native::Graph::Options options;
  options.global_step = !has(spec, "step") && spec.value("global_step", true);
  if (has(spec, "step_scope")) {
    options.global_step_name = spec["step_scope"].get<std::string>() + "/global_step";
  }
  return options;
}

Error engine_error(Code code, const std::string& text) { return {code, text, ErrorSource::kEngine}; }

}  // namespace

NativeCounter::NativeCounter(const Json& spec)
    : spec_(spec), graph_(std::make_unique<native::Graph>(options_of(spec))) {
  add_variables();
  add_tensors();
  add_constants();
  add_options();
  add_unseen();
  add_train();
  add_custom_init();
  add_custom_local_init();
  add_custom_answers();
  add_custom_w();
}

EngineGraph NativeCounter::described() {
  EngineGraph described;
  described.graph = graph_.get();
  described.unseen_w = "peek/w:0";
  if (!has(spec_, "step") && spec_.value("global_step", true)) {
    described.step_read = "global_step/add:0";
    described.unseen_step = "peek/step:0";
    described.set_step = [this](Session&, Step step) { graph_->set_global_step(step); };
  }
  described.queues = queues_;
  described.summaries = summaries_;
  return described;
}

void NativeCounter::add_variables() {
  globals_.push_back(graph_->variable("w", native::view(w_)));
  if (has(spec_, "step")) {
    add_odd_step(spec_["step"].get<std::string>());
  } else if (spec_.value("global_step", true)) {
    globals_.push_back(graph_->global_step());
  }
  if (spec_.value("local", false)) {
    locals_.push_back(graph_->local_variable("lv", native::view(lv_)));
    graph_->value("lv_value", {locals_.back()}, [](native::Inputs in) { return in.scalar<float>(0); });
  }
}

// A step that is not as it should be, or not where it should be.
void NativeCounter::add_odd_step(const std::string& kind) {
  if (kind == "tensor") {
    graph_->constant("global_step", std::int64_t{5});
  } else if (kind == "tensor_int32") {
    graph_->constant("global_step", std::int32_t{5});
  } else if (kind == "tensor_float") {
    graph_->constant("global_step", 5.0F);
  } else if (kind == "tensor_vector") {
    graph_->constant("global_step", Tensor::of<std::int64_t>({1}, {5}));
  } else {
    globals_.push_back(kind == "float"    ? graph_->variable("global_step", native::view(float_step_))
                       : kind == "vector" ? graph_->variable("global_step", native::view(vector_step_))
                                          : graph_->variable("global_step", native::view(first_step_)));
    graph_->add_to_collection("global_step", globals_.back().name());
  }
  if (kind == "two") {
    globals_.push_back(graph_->variable("second_step", native::view(second_step_)));
    graph_->add_to_collection("global_step", globals_.back().name());
  }
}

void NativeCounter::add_train() {
  const Step increment = spec_.value("increment", Step{1});
  graph_->step("train", {.increment = increment}, [this](native::StepOutputs&) { w_ += 1; });
}

void NativeCounter::add_tensors() {
  const Output loss = graph_->placeholder_with_default("loss", Tensor::scalar(1.0F));
  graph_->value("log_loss", {loss}, [](native::Inputs in) { return in.scalar<float>(0); });
  const Output x = graph_->placeholder<float>("x");
  graph_->value("x2", {x}, [](native::Inputs in) { return 2 * in.scalar<float>(0); });
  graph_->operation("pair", {.outputs = {"first", "second"}}, [](native::StepOutputs& out) {
    out.set("first", Tensor::of<float>({1}, {1.0F}));
    out.set("second", Tensor::of<float>({1}, {2.0F}));
  });
}

void NativeCounter::add_constants() {
  graph_->constant("c", 1.5F);
  graph_->constant("vec", Tensor::of<float>({3}, {1, 2, 3}));
  graph_->constant("nan_vec", Tensor::of<float>({2}, {1, std::nanf("")}));
  graph_->constant("tiny", 1e-7F);
  graph_->constant("tiny_vec", Tensor::of<float>({2}, {1e-7F, 1}));
  graph_->constant("big", 123456789.0);
  graph_->constant("flag", true);
  graph_->constant("label", Tensor::string_scalar("text"));
}

void NativeCounter::add_options() {
  const Output loss = graph_->tensor("loss:0");
  for (const Json& tag : member(spec_, "summaries")) {
    summaries_.push_back(graph_->scalar_summary(tag.get<std::string>(), loss).name());
  }
  if (has(spec_, "counted_summary")) {
    locals_.push_back(graph_->local_variable("computed", native::view(computed_)));
    const Output count =
        graph_->value("count_computations", {locals_.back()}, [this](native::Inputs) { return ++computed_; });
    summaries_.push_back(graph_->scalar_summary(spec_["counted_summary"].get<std::string>(), count).name());
  }
  if (spec_.value("saved_model_init", false)) {
    graph_->operation("saved_model_init", {}, [this](native::StepOutputs&) {
      m_ = 7;
      m_is_set_ = true;
    });
    graph_->add_to_collection("saved_model_initializers", "saved_model_init");
    graph_->value("m_value", {}, [this](native::Inputs) {
      if (!m_is_set_) {
        throw engine_error(Code::kFailedPrecondition, "m is uninitialized");
      }
      return m_;
    });
  }
  if (has(spec_, "input")) {
    add_input();
  }
  if (has(spec_, "queue")) {
    add_queue(spec_["queue"]);
  }
  std::size_t collected = 0;
  for (const Json& collection : member(spec_, "collections")) {
    const Output empty =
        graph_->constant("collected_" + std::to_string(collected++), Tensor::strings({0}, {}));
    graph_->add_to_collection(collection.get<std::string>(), empty.name());
  }
}

void NativeCounter::add_input() {
  const std::int64_t size = spec_["input"].get<std::int64_t>();
  graph_->value("input", {}, [this, size](native::Inputs in) {
    std::int64_t& taken = taken_[&in.session()];
    if (taken == size) {
      throw engine_error(Code::kOutOfRange, "the input is used up");
    }
    return taken++;
  });
}

void NativeCounter::add_queue(const Json& queue) {
  const bool fails = queue.value("error", false);
  graph_->operation("enqueue", {}, [this, source = queue["source"], fails](native::StepOutputs& out) {
    if (fails) {
      throw engine_error(Code::kInvalidArgument, "scripted");
    }
    std::int64_t& enqueued = enqueued_[&out.session()];
    if (source.is_number() && enqueued == source.get<std::int64_t>()) {
      throw engine_error(Code::kOutOfRange, "the source is used up");
    }
    queue_.enqueue(out.session(), source.is_number() ? static_cast<float>(enqueued) : 1.0F);
    ++enqueued;
  });
  graph_->operation("queue_close", {},
                    [this](native::StepOutputs& out) { queue_.close(out.session(), false); });
  graph_->operation("queue_cancel", {},
                    [this](native::StepOutputs& out) { queue_.close(out.session(), true); });
  graph_->value("dequeued", {}, [this](native::Inputs in) { return queue_.dequeue(in.session()); });
  graph_->on_close([this](Session& session) { queue_.wake(session); });
  queues_.push_back({.queue = "queue",
                     .enqueue_ops = {"enqueue"},
                     .close_op = "queue_close",
                     .cancel_op = "queue_cancel",
                     .queue_closed_codes = {Code::kOutOfRange}});
}

void NativeCounter::add_custom_init() {
  std::vector<Output> without_w(globals_.begin() + 1, globals_.end());
  graph_->initializer("custom/init", globals_);
  const Operation others = graph_->initializer("custom/init_step_only", without_w);
  graph_->operation("custom/init_w_from_x",
                    {.inputs = {graph_->tensor("x:0")}, .after = {others}, .initializes = {globals_.front()}},
                    [this](native::StepOutputs& out) { w_ = out.inputs().scalar<float>(0); });
}

void NativeCounter::add_custom_local_init() {
  graph_->initializer("custom/local_init", locals_);
  if (spec_.value("local", false)) {
    graph_->operation("custom/local_init_from_x",
                      {.inputs = {graph_->tensor("x:0")}, .initializes = {locals_.front()}},
                      [this](native::StepOutputs& out) { lv_ = out.inputs().scalar<float>(0); });
  }
}

void NativeCounter::add_custom_answers() {
  graph_->constant("custom/ready", Tensor::strings({0}, {}));
  graph_->constant("custom/ready_int", std::int32_t{5});
  graph_->constant("custom/never_ready", Tensor::strings({2}, {"part_a", "part_b"}));
  graph_->constant("custom/never_ready_for_local", Tensor::strings({1}, {"part_c"}));
}

void NativeCounter::add_custom_w() {
  const Output value = graph_->placeholder_with_default("custom/value", Tensor::scalar(0.0F));
  graph_->operation("custom/set_w", {.inputs = {value}, .initializes = {globals_.front()}},
                    [this](native::StepOutputs& out) { w_ = out.inputs().scalar<float>(0); });
}

// What the runner looks at. The update comes after it, as in the recorded graph.
void NativeCounter::add_unseen() {
  graph_->value("peek/w", {globals_.front()}, [](native::Inputs in) { return in.scalar<float>(0); });
  if (!has(spec_, "step") && spec_.value("global_step", true)) {
    for (const char* name : {"peek/step", "global_step/add"}) {
      graph_->value(name, {graph_->global_step()},
                    [](native::Inputs in) { return in.scalar<std::int64_t>(0); });
    }
  }
}

}  // namespace fermata::conformance
