// SPDX-License-Identifier: Apache-2.0
//
// A program in C++ on the public header: it sets up a cipher's pool, and shares a secret.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "tallystick/tallystick.h"

int main()
{
    int passed = 0, failed = 0;
    auto check = [&](bool holds) { (holds ? passed : failed)++; };

    const std::array<std::uint8_t, 16> key{};
    std::vector<std::uint8_t> memory(tally_fast_pool_size(10));
    tally_fast_pool *pool = nullptr;
    check(tally_fast_pool_init(TALLY_FAST, 10, key.data(), key.size(), memory.data(), memory.size(),
                               &pool) == TALLY_OK);
    tally_fast_pool_wipe(pool);

    const std::array<std::uint8_t, 5> secret{1, 2, 3, 4, 5};
    std::array<std::uint8_t, 5> recovered{};
    std::array<std::uint8_t, 6> first{}, second{};
    const std::array<std::uint8_t *, 2> shares{first.data(), second.data()};
    check(tally_shamir_split(TALLY_GF256_AES, secret.data(), secret.size(), 2, shares.size(),
                             shares.data()) == TALLY_OK);
    check(tally_shamir_recover(TALLY_GF256_AES, shares.data(), shares.size(), first.size(),
                               recovered.data()) == TALLY_OK);
    check(recovered == secret);
    check(!std::string(tally_status_text(TALLY_ERROR_ARGUMENT)).empty());

    std::printf("program: %d passed, %d failed, version %s\n", passed, failed, tally_version());
    return failed == 0 ? 0 : 1;
}
