// Pieces that have changed their place glide there.

const LONGEST = 700;

/** Where the pieces of a picture stand: by side and kind, by place: how many, the element, its position and scale. */
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
    // Marks split the pieces of a place into groups: they count together.
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

/** What has moved between two pictures: pairs of where it stood and where it stands. Pieces that change sides stay. */
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
    // With several sources or goals nobody can say who went where.
    if (gone.length === 1) pairs.push(...come.map((to) => ({ from: gone[0], to })));
    else if (come.length === 1) pairs.push(...gone.map((from) => ({ from, to: come[0] })));
  }
  return pairs;
}

/** Let what has moved glide to its place within so many milliseconds. */
export function glide(before, after, milliseconds) {
  if (!before || milliseconds < 60 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const { from, to } of moved(before, after)) {
    if (from.x === to.x && from.y === to.y) continue;
    const [dx, dy] = [from.x - to.x, from.y - to.y].map((way) => (way / to.scale).toFixed(1));
    const shift = `translate(${dx}px, ${dy}px)`;
    // Upon everything else while it moves; pictures are replaced as a whole, so that nothing need be put back.
    to.element.parentNode.append(to.element);
    to.element.animate([{ transform: shift }, { transform: "translate(0px, 0px)" }], {
      duration: Math.min(milliseconds, LONGEST),
      easing: "ease-in-out",
      composite: "add",
    });
  }
}
