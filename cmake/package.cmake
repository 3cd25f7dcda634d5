# Install rules: headers, the compiled form, and what find_package(df) reads.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(df_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/df")
install(TARGETS df df_headers df_compiled EXPORT dfTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
        FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT dfTargets NAMESPACE df:: DESTINATION "${df_config_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/dfConfig.cmake.in" "${PROJECT_BINARY_DIR}/dfConfig.cmake"
                              INSTALL_DESTINATION "${df_config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dfConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/dfConfig.cmake" "${PROJECT_BINARY_DIR}/dfConfigVersion.cmake"
        DESTINATION "${df_config_dir}")
