"""Pictures of a docking: the probe in the cone, which is cut open, at the instants that count."""

from __future__ import annotations

from pathlib import Path

from freefloat.docking import Phase
from freefloat.engine.result import Result

BESIDE, OVER = 1.5, 0.2  # [m] of the camera from the cone's axis: along x of the cone, and towards the chaser
DECADE = 0.05  # [m] growth of an arrow with each factor of ten of its force
PROBE = ("probe.guide", "probe.head")


def draw_docking(result: Result, out: Path) -> None:
    """A sheet `plots/docking.png`: first touch, largest force, capture, and the end; without the bodies behind."""
    from freefloat.charts import STYLE
    from freefloat.view.camera import Camera  # heavy, and only needed here
    from freefloat.view.configuration import new_figure, save
    from freefloat.view.raycast import render

    instants = [(0.0, "start")]
    for name, caption in (("touched", "first touch"), ("captured", "latches close")):
        at = float(result[f"docking.{name}"][-1, 0])
        instants += [(at, caption)] if at >= 0.0 else []
    force = result["touch.force"].sum(axis=1)
    if force.max() > 0.0:
        instants.append((float(result.time("touch.force")[force.argmax()]), f"{force.max():.0f} N, the most"))
    instants.sort()
    instants.append((result.duration, Phase(round(float(result["docking.phase"][-1, 0]))).name.lower()))
    figure = new_figure(2.4 * len(instants), 1.7)
    for n, (t, caption) in enumerate(instants):
        scene = result.scene_at(t)
        X_WC = scene.poses["cone"]
        half = [shape for shape in scene.shapes["cone"] if shape.X_LG.p[0] < 1e-3]
        shapes = {"cone": half, **{link: scene.shapes[link] for link in PROBE}}
        eye, middle, up = (X_WC.apply(p).tolist() for p in ([BESIDE, 0.0, OVER], [0.0, 0.0, OVER], [0.0, 1.0, 0.0]))
        up = [a - b for a, b in zip(up, X_WC.p.tolist(), strict=True)]
        camera = Camera(tuple(eye), tuple(middle), tuple(up), 0.32, 480, 320)
        toward = tuple(a - b for a, b in zip(eye, middle, strict=True))
        ax = figure.add_subplot(1, len(instants), n + 1)
        ax.imshow(
            render(shapes, scene.poses, camera, background="white", sun=toward, pushes=scene.pushes, decade=DECADE)
        )
        ax.axis("off")
        ax.set_title(f"{t:.3g} s: {caption.replace('_', ' ')}", color=STYLE["ink"], fontsize=STYLE["font"], pad=3)
    save(figure, out / "plots" / "docking.png")
