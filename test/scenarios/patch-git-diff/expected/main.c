#include <stdio.h>

int main(void) {
    puts("hello");
    puts("world");
    return 0;
}
