# cmake -DSOURCE=<df> -DBUILD=<its build> -DCOMPILER=... -DGENERATOR=... -DLAUNCHER=... -DINCLUDES=... -DSCRATCH=... -P run.cmake
# Installs df into a scratch folder and builds a program against it in three ways.
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message("${command}\n${out}")
    message(FATAL_ERROR "ended with ${status}")
  endif()
endfunction()
function(build folder)
  run(${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}/${folder}" -B "${SCRATCH}/${folder}" -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_CXX_FLAGS=-O0 ${ARGN})
  run(${CMAKE_COMMAND} --build "${SCRATCH}/${folder}" -j 2)
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${SCRATCH}/prefix")

build(find_package "-DCMAKE_PREFIX_PATH=${SCRATCH}/prefix")
run("${SCRATCH}/find_package/header_only")
run("${SCRATCH}/find_package/compiled")

build(subdirectory "-DDF_SOURCE=${SOURCE}")
run("${SCRATCH}/subdirectory/header_only")

set(command "${COMPILER}" -std=c++20 -pthread "-I${SOURCE}/include")
foreach(folder IN LISTS INCLUDES)
  if(NOT folder STREQUAL "/usr/include")
    list(APPEND command "-isystem${folder}")
  endif()
endforeach()
run(${command} "${CMAKE_CURRENT_LIST_DIR}/program.cpp" -o "${SCRATCH}/by_include")
run("${SCRATCH}/by_include")
