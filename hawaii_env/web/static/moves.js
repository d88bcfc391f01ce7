// Animation of pieces that have changed their place.

const LONGEST = 700;

/** The pieces of a picture by side and kind, and by place: count, element, position and scale. */
function standing(svg) {
  const kinds = new Map();
  for (const element of svg.querySelectorAll(".piece[data-place]")) {
    const found = /translate\(([-\d.]+),([-\d.]+)\)(?: scale\(([\d.]+)\))?/.exec(element.getAttribute("transform"));
    if (!found) continue;
    const { side, pieceKind, place, count } = element.dataset;
    const key = `${side} ${pieceKind}`;
    if (!kinds.has(key)) kinds.set(key, new Map());
    const places = kinds.get(key),
      before = places.get(place);
    // Marks divide the pieces of a place into groups, which are counted together.
    places.set(place, {
      count: Number(count) + (before?.count ?? 0),
      element,
      x: Number(found[1]),
      y: Number(found[2]),
      scale: Number(found[3] ?? 1),
    });
  }
  return kinds;
}

/** The moves between two pictures: pairs of an old and a new place. Pieces that change sides stay. */
export function moved(before, after) {
  const was = standing(before),
    pairs = [];
  for (const [key, now] of standing(after)) {
    const old = was.get(key) ?? new Map();
    const gone = [...old]
      .filter(([place, there]) => there.count > (now.get(place)?.count ?? 0))
      .map(([, there]) => there);
    const come = [...now]
      .filter(([place, there]) => there.count > (old.get(place)?.count ?? 0))
      .map(([, there]) => there);
    // With several sources or targets it is unknown who went where.
    if (gone.length === 1) pairs.push(...come.map((to) => ({ from: gone[0], to })));
    else if (come.length === 1) pairs.push(...gone.map((from) => ({ from, to: come[0] })));
  }
  return pairs;
}

/** Move pieces to their new places within some milliseconds. */
export function glide(before, after, milliseconds) {
  if (!before || milliseconds < 60 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const { from, to } of moved(before, after)) {
    if (from.x === to.x && from.y === to.y) continue;
    const [dx, dy] = [from.x - to.x, from.y - to.y].map((way) => (way / to.scale).toFixed(1));
    const shift = `translate(${dx}px, ${dy}px)`;
    // Draw them on top while they move; pictures are replaced as a whole, so nothing must be restored.
    to.element.parentNode.append(to.element);
    to.element.animate([{ transform: shift }, { transform: "translate(0px, 0px)" }], {
      duration: Math.min(milliseconds, LONGEST),
      easing: "ease-in-out",
      composite: "add",
    });
  }
}
