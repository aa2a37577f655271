# What a user can set with -D.

option(FERMATA_DEVELOPMENT "Build the tests and examples, with strict warnings" ${PROJECT_IS_TOP_LEVEL})
option(FERMATA_WARNINGS_AS_ERRORS "Make every compiler warning an error" OFF)
option(FERMATA_WITH_TENSORFLOW "Build the plug-in that runs TensorFlow graphs" ON)
option(FERMATA_PRECOMPILE_HEADERS "Compile common headers once; the presets for whole builds do" OFF)
set(FERMATA_SANITIZE "" CACHE STRING "Sanitizers to build with: 'address,undefined' or 'thread'")

# The version has one place, the file that says which wheel scripts/setup downloads.
set(wheel ${PROJECT_SOURCE_DIR}/scripts/lib/tensorflow_wheel.txt)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${wheel})
file(STRINGS ${wheel} FERMATA_TENSORFLOW_VERSION REGEX "^tensorflow-cpu==")
string(REGEX REPLACE "^tensorflow-cpu==([0-9.]+).*" "\\1" FERMATA_TENSORFLOW_VERSION
                     "${FERMATA_TENSORFLOW_VERSION}")

if("$ENV{XDG_CACHE_HOME}" STREQUAL "")
  set(fermata_cache_dir "$ENV{HOME}/.cache/fermata")
else()
  set(fermata_cache_dir "$ENV{XDG_CACHE_HOME}/fermata")
endif()
set(FERMATA_TENSORFLOW_DIR "${fermata_cache_dir}/tensorflow-${FERMATA_TENSORFLOW_VERSION}"
    CACHE PATH "Folder with TensorFlow's lib/ and include/, as scripts/setup makes it")
