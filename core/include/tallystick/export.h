/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands before a public function: TALLY_API exports it from a shared library, and
 * TALLY_MUST_CHECK makes compilers warn about a call whose result is not used.
 *
 * Define TALLY_SHARED for a shared library, and TALLY_BUILD too while the library itself is
 * compiled (its CMake target and its pkg-config file do so). A static library, or sources compiled
 * into a program, need neither: then nothing is exported. */
#ifndef TALLYSTICK_EXPORT_H
#define TALLYSTICK_EXPORT_H

#if !defined(TALLY_SHARED)
#define TALLY_API
#elif defined(_WIN32) && defined(TALLY_BUILD)
#define TALLY_API __declspec(dllexport)
#elif defined(_WIN32)
#define TALLY_API __declspec(dllimport)
#elif defined(__GNUC__)
#define TALLY_API __attribute__((visibility("default")))
#else
#define TALLY_API
#endif

#if defined(__GNUC__)
#define TALLY_MUST_CHECK __attribute__((warn_unused_result))
#elif defined(_MSC_VER)
#include <sal.h>
#define TALLY_MUST_CHECK _Check_return_
#else
#define TALLY_MUST_CHECK
#endif

#endif
