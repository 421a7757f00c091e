class P {
    int a = 1;
    int b = 2;
}
