# What a user can set with -D.

option(FERMATA_DEVELOPMENT "Build the tests and examples, with strict warnings" ${PROJECT_IS_TOP_LEVEL})
option(FERMATA_WARNINGS_AS_ERRORS "Make every compiler warning an error" OFF)
option(FERMATA_WITH_TENSORFLOW "Build the plug-in that runs TensorFlow graphs" ON)
set(FERMATA_SANITIZE "" CACHE STRING "Sanitizers to build with: 'address,undefined' or 'thread'")

set(FERMATA_TENSORFLOW_VERSION 2.21.0)
if("$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(fermata_cache_dir "$ENV{HOME}/.cache/fermata")
else()
  set(fermata_cache_dir "$ENV{XDG_CACHE_HOME}/fermata")
endif()
set(FERMATA_TENSORFLOW_DIR "${fermata_cache_dir}/tensorflow-${FERMATA_TENSORFLOW_VERSION}"
    CACHE PATH "Folder with TensorFlow's lib/ and include/, as scripts/setup makes it")
