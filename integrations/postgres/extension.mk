# SPDX-License-Identifier: Apache-2.0
#
# What PGXS builds, in a folder of its own: ./Makefile calls it.

EXTENSION = tallystick
EXTENSION_VERSION = 0.1
MODULE_big = tallystick
DATA = tallystick--$(EXTENSION_VERSION).sql
OBJS = extension.o memory.o keys.o rules.o functions.o numbers.o documents.o arrays.o batch.o batch_plan.o audit.o policies.o

CORE_LIBRARY ?= libcore.a
PG_CPPFLAGS = -I$(CHECKOUT)/core/include -I$(CHECKOUT)/integrations/common
PG_CFLAGS = -std=gnu11 -Wno-declaration-after-statement
SHLIB_LINK = $(CORE_LIBRARY) -Wl,--exclude-libs,ALL
EXTRA_CLEAN = $(CORE_OBJECTS) libcore.a
# The core chooses its instructions at run time: JIT's bitcode of it would be of no use.
override with_llvm := no

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

$(OBJS): tally_postgres.h batch.h $(CHECKOUT)/integrations/common/root_key.h
$(shlib): $(CORE_LIBRARY)

# The core, with the flags of CMakeLists.txt, so that a compiler cache serves both.
CORE_FLAGS = -O2 -DNDEBUG -fPIC -fvisibility=hidden -Wall -Wextra -Wpedantic -Wconversion -Wshadow -std=c11
CORE_SOURCES := $(filter-out $(CHECKOUT)/core/tests/%,$(wildcard $(CHECKOUT)/core/*/*.c $(CHECKOUT)/core/*/*/*.c))
CORE_OBJECTS := $(patsubst $(CHECKOUT)/%.c,%.core.o,$(CORE_SOURCES))
CORE_HEADERS := $(wildcard $(CHECKOUT)/core/*/*.h $(CHECKOUT)/core/*/*/*.h)

$(CORE_OBJECTS): %.core.o: $(CHECKOUT)/%.c $(CORE_HEADERS)
	@mkdir -p $(@D)
	$(CC) $(CORE_FLAGS) -I$(CHECKOUT)/core/include -I$(CHECKOUT)/core -c -o $@ $<

libcore.a: $(CORE_OBJECTS)
	rm -f $@
	$(AR) crs $@ $^
