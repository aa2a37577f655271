// The graph in an event file.
#pragma once

#include <memory>

#include "fermata/event_writer.h"
#include "fermata/graph.h"

namespace fermata::hooks {

// Adds the graph to the event file, unless some hook has added a graph to it already: hooks share writers,
// and a session made by recovery brings nothing new. Nothing for engines without a definition. Threads: any.
void record_graph_once(const std::shared_ptr<EventWriter>& writer, const Graph& graph);

// Adds it in any case.
void record_graph(const std::shared_ptr<EventWriter>& writer, const Graph& graph);

}  // namespace fermata::hooks
