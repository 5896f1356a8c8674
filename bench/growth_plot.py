"""Draws cost against size: one panel an axis, both scales logarithmic, in light and dark."""
import math

from costs import exponent

WIDTH, HEIGHT = 300, 300  # of a panel
LEFT, RIGHT, TOP, BOTTOM = 56, 12, 58, 44
STYLE = """
  text { font: 12px sans-serif; fill: #333 }
  .title { font-weight: bold; font-size: 13px }
  .grid { stroke: #ccc } .frame { stroke: #888; fill: none }
  .line { fill: none; stroke-width: 2 }
  .train { stroke: #0b62a4 } .predict { stroke: #b3560b; stroke-dasharray: 6 3 }
  .dot.train { fill: #0b62a4 } .dot.predict { fill: #b3560b; stroke-dasharray: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #ddd } .grid { stroke: #444 }
    .train { stroke: #6db3f2 } .predict { stroke: #f2a65a }
    .dot.train { fill: #6db3f2 } .dot.predict { fill: #f2a65a }
  }
"""


def short(value):
    for unit, name in ((1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def decades(low, high):
    return [10.0 ** k for k in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]


class Panel:
    def __init__(self, left, sizes, low, high):
        self.left, self.sizes, self.low, self.high = left, sizes, low, high

    def x(self, size):
        share = math.log(size / self.sizes[0]) / math.log(self.sizes[-1] / self.sizes[0])
        return self.left + LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, cost):
        share = math.log(cost / self.low) / math.log(self.high / self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)

    def scales(self, name):
        right, bottom = self.left + WIDTH - RIGHT, HEIGHT - BOTTOM
        for size in self.sizes:
            yield (f'<text x="{self.x(size):.1f}" y="{bottom + 18}" text-anchor="middle">'
                   f'{short(size)}</text>')
        for cost in decades(self.low, self.high):
            yield (f'<path class="grid" d="M{self.left + LEFT} {self.y(cost):.1f}H{right}"/>'
                   f'<text x="{self.left + LEFT - 6}" y="{self.y(cost) + 4:.1f}"'
                   f' text-anchor="end">{short(cost)} s</text>')
        yield (f'<rect class="frame" x="{self.left + LEFT}" y="{TOP}"'
               f' width="{WIDTH - LEFT - RIGHT}" height="{HEIGHT - TOP - BOTTOM}"/>'
               f'<text x="{(self.left + LEFT + right) / 2}" y="{HEIGHT - 8}"'
               f' text-anchor="middle">{name}</text>')

    def line(self, verb, costs):
        points = [(self.x(size), self.y(cost)) for size, cost in zip(self.sizes, costs)]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        yield f'<path class="line {verb}" d="M{path}"/>'
        for x, y in points:
            yield f'<circle class="dot {verb}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'

    def legend(self, name, lines):
        yield f'<text class="title" x="{self.left + LEFT}" y="16">cost against {name}</text>'
        for i, (verb, costs) in enumerate(lines.items()):
            x, y = self.left + LEFT + i * 118, 40
            yield (f'<path class="line {verb}" d="M{x} {y - 4}h20"/><text x="{x + 25}" y="{y}">'
                   f'{verb}: {exponent(self.sizes, costs):.2f}</text>')


def write_plot(path, panels):
    """Panels are (axis, sizes, {verb: costs}); all have one scale of costs."""
    every = [cost for _, _, lines in panels for costs in lines.values() for cost in costs]
    low, high = min(every) / 1.5, max(every) * 1.5
    parts = []
    for i, (name, sizes, lines) in enumerate(panels):
        panel = Panel(i * WIDTH, sizes, low, high)
        parts += panel.legend(name, lines)
        parts += panel.scales(name)
        for verb, costs in lines.items():
            parts += panel.line(verb, costs)
    width = WIDTH * len(panels)
    with open(path, "w", encoding="utf-8") as out:
        out.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}"'
                  f' width="{width}" height="{HEIGHT}" role="img">\n<title>Processor time to train'
                  f' and to predict, with fitted exponents</title>\n<style>{STYLE}</style>\n'
                  + "\n".join(parts) + "\n</svg>\n")
