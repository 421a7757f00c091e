class P {
    int a = 10;
    int extra = 0;
    int b = 20;
}
