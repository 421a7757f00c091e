def area(r):
    return 3.14 * r * r


def main():
    print(area(2))


if __name__ == '__main__':
    main()
