"""Pictures of the facility's runs."""


def draw_approach(*a):
    pass


def draw_tumble(*a):
    pass


def draw_sine(*a):
    pass
