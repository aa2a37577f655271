# fermata_use_precompiled(TARGET KIND)    KIND is `component` or `test`
#
# With FERMATA_PRECOMPILE_HEADERS the headers that nearly every source includes are compiled once: those of the
# standard library and fmt for components, those and GoogleTest for tests. It halves the time of a build. Sources
# still include what they use; the preset `tidy` builds without, so a missing include does not hide.

set(fermata_precompiled_std
    <algorithm> <atomic> <chrono> <cstdint> <functional> <map> <memory> <mutex> <optional> <span> <string>
    <string_view> <thread> <utility> <variant> <vector>)

function(fermata_make_precompiled)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/precompiled_component.cc "")
  add_library(fermata_precompiled_component STATIC ${PROJECT_BINARY_DIR}/generated/precompiled_component.cc)
  target_link_libraries(fermata_precompiled_component PRIVATE third_party::fmt Threads::Threads fermata_warnings
                                                              fermata_sanitizers)
  target_precompile_headers(fermata_precompiled_component PRIVATE ${fermata_precompiled_std} <fmt/format.h>)
  if(FERMATA_DEVELOPMENT)
    file(WRITE ${PROJECT_BINARY_DIR}/generated/precompiled_test.cc "int main() {}\n")
    # A program, since programs are compiled with -fPIE and libraries with -fPIC.
    add_executable(fermata_precompiled_test ${PROJECT_BINARY_DIR}/generated/precompiled_test.cc)
    target_link_libraries(fermata_precompiled_test PRIVATE GTest::gmock Threads::Threads fermata_warnings
                                                           fermata_sanitizers)
    target_compile_options(fermata_precompiled_test PRIVATE -O0)
    target_precompile_headers(fermata_precompiled_test PRIVATE ${fermata_precompiled_std} <gmock/gmock.h>
                              <gtest/gtest.h>)
  endif()
endfunction()

if(FERMATA_PRECOMPILE_HEADERS)
  fermata_make_precompiled()
endif()

function(fermata_use_precompiled target kind)
  if(NOT FERMATA_PRECOMPILE_HEADERS)
    return()
  endif()
  if("${kind}" STREQUAL "component")
    # A precompiled header is taken only where the same macros are defined, fmt's among them.
    target_link_libraries(${target} PRIVATE third_party::fmt)
  endif()
  target_precompile_headers(${target} REUSE_FROM fermata_precompiled_${kind})
endfunction()
