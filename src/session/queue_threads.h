// Fills the queues of a graph while the loop runs.
#pragma once

#include "fermata/coordinator.h"
#include "fermata/session.h"

namespace fermata {

// Starts a thread for each enqueue operation of the graph's queue runners, and one for each queue that wakes
// what waits when the coordinator stops (contract QR-2 to QR-8). An error of a thread goes to the
// coordinator; the end of its input does not: the last thread of a queue then closes the queue. The session
// must live until the coordinator was joined.
void start_queue_threads(Session& session, Coordinator& coordinator);

}  // namespace fermata
