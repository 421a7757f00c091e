def load():
    return open('x')


def save():
    return open('y', 'w')
