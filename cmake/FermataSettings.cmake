# Settings that hold for every target of the project, and the two interface targets that carry the rest:
#   fermata_warnings   the warnings the code is held to (only with FERMATA_DEVELOPMENT)
#   fermata_sanitizers compile and link flags of FERMATA_SANITIZE

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# What is shipped lands in the top of the build folder, so that build/release/fermata is the program and the
# library and the plug-in lie beside it. Test programs stay in the folders of their components.
set(FERMATA_OUTPUT_DIR ${PROJECT_BINARY_DIR})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
endif()

find_package(Threads REQUIRED)

add_library(fermata_warnings INTERFACE)
if(FERMATA_DEVELOPMENT)
  target_compile_options(
    fermata_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor
                               -Woverloaded-virtual)
  # Options structs are meant to be written as {.last_step = 10}: the fields left out have their defaults.
  target_compile_options(fermata_warnings INTERFACE -Wno-missing-field-initializers)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    # Checks FERMATA_GUARDED_BY.
    target_compile_options(fermata_warnings INTERFACE -Wthread-safety)
  endif()
endif()
if(FERMATA_WARNINGS_AS_ERRORS)
  target_compile_options(fermata_warnings INTERFACE -Werror)
endif()

add_library(fermata_sanitizers INTERFACE)
if(FERMATA_SANITIZE)
  target_compile_options(fermata_sanitizers INTERFACE -fsanitize=${FERMATA_SANITIZE} -fno-omit-frame-pointer
                                                      -fno-sanitize-recover=all)
  target_link_options(fermata_sanitizers INTERFACE -fsanitize=${FERMATA_SANITIZE})
endif()
