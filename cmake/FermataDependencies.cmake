# The libraries Fermata uses, each under one name, whatever its package offers:
#   third_party::fmt  ::leveldb  ::isal  ::protozero  ::cli11  ::json
# A component names them in PRIVATE_LIBS. None of them appears in a public header. Only those that some
# component asks for are looked for, since a build of the library alone needs no command line parser.

function(fermata_missing_dependency what package)
  message(FATAL_ERROR "${what} was not found; on Debian: apt-get install ${package} (scripts/setup installs "
                      "everything that is needed).")
endfunction()

function(fermata_define_third_party name)
  add_library(third_party_${name} INTERFACE)
  add_library(third_party::${name} ALIAS third_party_${name})
endfunction()

find_package(fmt 9 QUIET CONFIG)
if(NOT fmt_FOUND)
  fermata_missing_dependency("fmt" libfmt-dev)
endif()
fermata_define_third_party(fmt)
target_link_libraries(third_party_fmt INTERFACE fmt::fmt)

find_package(leveldb QUIET CONFIG)
if(NOT leveldb_FOUND)
  fermata_missing_dependency("LevelDB" "libleveldb-dev libsnappy-dev")
endif()
fermata_define_third_party(leveldb)
target_link_libraries(third_party_leveldb INTERFACE leveldb::leveldb)

find_library(FERMATA_ISAL_LIBRARY isal)
find_path(FERMATA_ISAL_INCLUDE isa-l/crc.h PATH_SUFFIXES include)
if(NOT FERMATA_ISAL_LIBRARY OR NOT FERMATA_ISAL_INCLUDE)
  fermata_missing_dependency("Intel ISA-L" libisal-dev)
endif()
fermata_define_third_party(isal)
target_link_libraries(third_party_isal INTERFACE ${FERMATA_ISAL_LIBRARY})
target_include_directories(third_party_isal SYSTEM INTERFACE ${FERMATA_ISAL_INCLUDE})

find_path(FERMATA_PROTOZERO_INCLUDE protozero/pbf_reader.hpp)
if(NOT FERMATA_PROTOZERO_INCLUDE)
  fermata_missing_dependency("protozero" libprotozero-dev)
endif()
fermata_define_third_party(protozero)
target_include_directories(third_party_protozero SYSTEM INTERFACE ${FERMATA_PROTOZERO_INCLUDE})

find_package(nlohmann_json 3.11 QUIET CONFIG)
if(NOT nlohmann_json_FOUND)
  fermata_missing_dependency("nlohmann-json" nlohmann-json3-dev)
endif()
fermata_define_third_party(json)
target_link_libraries(third_party_json INTERFACE nlohmann_json::nlohmann_json)

find_package(CLI11 QUIET CONFIG)
if(NOT CLI11_FOUND)
  fermata_missing_dependency("CLI11" libcli11-dev)
endif()
fermata_define_third_party(cli11)
target_link_libraries(third_party_cli11 INTERFACE CLI11::CLI11)

if(FERMATA_DEVELOPMENT)
  find_package(GTest QUIET CONFIG)
  if(NOT GTest_FOUND)
    fermata_missing_dependency("GoogleTest" "libgtest-dev libgmock-dev")
  endif()
endif()
