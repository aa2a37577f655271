// What a saver asks of its arguments, and what it makes of a graph.
#pragma once

#include <optional>
#include <string>

#include "fermata/graph.h"
#include "fermata/saver.h"

namespace fermata::saver {

// Throws Error kInvalidArgument.
[[noreturn]] void refuse(const std::string& text);

// The same options. Throws: Error kInvalidArgument for those that make no sense.
[[nodiscard]] Saver::Options checked(Saver::Options options);

// No file of the checkpoint may be the state file, none may be another one of it, and Python takes a
// checkpoint that has the state file's name for it (`same_name_clashes`). Throws: Error kInvalidArgument.
void check_names(const std::string& prefix, const std::string& latest_filename,
                 const std::string& meta_graph_suffix, bool same_name_clashes);

// The definition of a saver over the graph; nothing if it saves nothing and may. Throws: as Saver::build.
[[nodiscard]] std::optional<SaverDef> define(Graph& graph, const Saver::Options& options);

}  // namespace fermata::saver
