// The event file of a hook, and the graph in it.
#pragma once

#include <memory>
#include <string>

#include "fermata/event_writer.h"
#include "fermata/graph.h"

namespace fermata::hooks {

// The one that was given, else the one of the folder; null without either. A hook that still holds a writer
// of that folder gets the same one.
[[nodiscard]] std::shared_ptr<EventWriter> writer_of(const std::shared_ptr<EventWriter>& given,
                                                     const std::string& output_dir);

// Adds the graph to the event file, unless some hook has added a graph to it already: hooks share writers,
// and a session made by recovery brings nothing new. Nothing for engines without a definition. Threads: any.
void record_graph_once(const std::shared_ptr<EventWriter>& writer, const Graph& graph);

// Adds it in any case.
void record_graph(const std::shared_ptr<EventWriter>& writer, const Graph& graph);

}  // namespace fermata::hooks
