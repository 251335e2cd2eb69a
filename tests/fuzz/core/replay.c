/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a fuzz target over the files of a corpus, without a fuzzer: so each build of the core's
 * tests (another compiler, CPU or sanitizer) sees the inputs that were found. */

/* Without it readdir() of a 32-bit program refuses the kernel's numbers of 64 bits. */
#define _FILE_OFFSET_BITS 64

#include <dirent.h>
#include <errno.h>

#include "fuzz.h"

static unsigned long replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 ||
        fseek(file, 0, SEEK_SET) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    uint8_t *bytes =
        malloc((size_t)size + (size == 0)); /* its own, so that reading past it shows */
    if (bytes == NULL || fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fclose(file);
    fprintf(stderr, "%s\n", path); /* the last one is the one that failed */
    LLVMFuzzerTestOneInput(bytes, (size_t)size);
    free(bytes);
    return 1;
}

int main(int argc, char **argv)
{
    unsigned long inputs = 0;
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (folder == NULL) {
            inputs += replay(argv[i]);
            continue;
        }
        errno = 0;
        for (struct dirent *entry; (entry = readdir(folder)) != NULL; errno = 0) {
            char path[4096];
            if (entry->d_name[0] != '.') {
                (void)snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name);
                inputs += replay(path);
            }
        }
        if (errno != 0) {
            perror(argv[i]);
            return 2;
        }
        closedir(folder);
    }
    printf("%s: %lu passed, 0 failed\n", argv[0], inputs);
    return inputs == 0;
}
