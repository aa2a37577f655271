// Restores values that were stored in another shape than their variable has.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "fermata/session.h"
#include "platform/file_system.h"

namespace fermata {

// Restores from a copy beside the checkpoint in which the entries have the shapes of their variables, and
// removes it. False, and nothing is done, if no entry has another shape than its variable, or if one that has
// does not have its number of elements: then the engine says what does not fit. Entries are found by the
// names in `var_list`, else by those in `saver`, else by the variables' own. Throws: Error.
[[nodiscard]] bool restore_reshaped(FileSystem& files, Session& session, const SaverDef& saver,
                                    const std::optional<std::map<std::string, std::string>>& var_list,
                                    const std::string& prefix);

}  // namespace fermata
