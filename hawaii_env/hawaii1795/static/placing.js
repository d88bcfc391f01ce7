// Pieces of a picture that are moved by hand: dragged, or tapped and then the place where they go.

const FAR = 6; // pixels that a pointer goes before it drags

/** The place that an element stands for: a space, "box", "dead", or null. */
function placeOf(element) {
  if (!element) return null;
  const box = element.closest(".box");
  if (box) return "box";
  if (element.closest(".dead")) return "dead";
  return element.closest("path.space, .label")?.dataset.space ?? element.closest(".piece")?.dataset.place ?? null;
}

export class Placing {
  /**
   * @param map the element that holds the picture
   * @param onMove called with (piece, place): the dataset of a piece, and a space, "box" or "dead"
   * @param onPick called with the dataset of the piece that is selected, or null
   */
  constructor(map, onMove, onPick) {
    Object.assign(this, { map, onMove, onPick, picked: null, drag: null });
    map.addEventListener("pointerdown", (event) => this.down(event));
    map.addEventListener("pointermove", (event) => this.move(event));
    map.addEventListener("pointerup", (event) => this.up(event));
    map.addEventListener("pointercancel", () => this.end());
    map.addEventListener("click", (event) => this.tapped(event));
    map.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        this.end();
        this.pick(null);
      }
    });
  }

  get svg() {
    return this.map.querySelector("svg");
  }

  /** After a new picture: what was selected stays so, where it still stands there. */
  redrawn() {
    if (this.picked)
      this.pick(
        [...this.map.querySelectorAll(".piece")].find((piece) => this.same(piece.dataset, this.picked)) ?? null,
      );
  }

  same(one, other) {
    return one.side === other.side && one.piece === other.piece && one.place === other.place;
  }

  pick(piece) {
    this.picked = piece ? { ...piece.dataset } : null;
    for (const element of this.map.querySelectorAll(".piece")) element.classList.toggle("picked", element === piece);
    this.svg?.classList.toggle("placing", Boolean(piece));
    this.onPick(this.picked);
  }

  /** Where something is let go at a point of the window: in the sea it is the space that is nearest. */
  at(x, y) {
    const under = document.elementsFromPoint(x, y).filter((element) => this.svg?.contains(element));
    if (!under.length) return null;
    for (const element of under) {
      const place = placeOf(element);
      if (place) return place.startsWith("sea/") ? place.slice(4) : place;
    }
    let nearest = null,
      least = Infinity;
    for (const element of this.svg.querySelectorAll("path.space, .label[data-space]")) {
      const box = element.getBoundingClientRect();
      const far = Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
      if (far < least) [nearest, least] = [element.dataset.space, far];
    }
    return least < this.map.clientWidth / 5 ? nearest : null;
  }

  // Dragging

  down(event) {
    const piece = event.target.closest?.(".piece");
    this.dragged = false;
    if (!piece || event.button) return;
    this.drag = { piece, x: event.clientX, y: event.clientY, ghost: null, id: event.pointerId };
    event.preventDefault();
  }

  move(event) {
    const { drag } = this;
    if (!drag || drag.id !== event.pointerId) return;
    if (!drag.ghost) {
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < FAR) return;
      drag.ghost = this.ghost(drag.piece);
      this.map.setPointerCapture(event.pointerId);
      this.svg.classList.add("placing");
    }
    drag.ghost.style.left = `${event.clientX}px`;
    drag.ghost.style.top = `${event.clientY}px`;
    const place = this.at(event.clientX, event.clientY);
    for (const space of this.svg.querySelectorAll("path.space"))
      space.classList.toggle("pointed", space.dataset.space === place);
  }

  up(event) {
    const { drag } = this;
    if (!drag || drag.id !== event.pointerId) return;
    const dragged = Boolean(drag.ghost);
    this.end();
    if (!dragged) return;
    // The click that ends a drag is none.
    this.dragged = true;
    const place = this.at(event.clientX, event.clientY);
    if (place && place !== drag.piece.dataset.place) this.onMove({ ...drag.piece.dataset }, place);
  }

  end() {
    this.drag?.ghost?.remove();
    this.drag = null;
    for (const space of this.svg?.querySelectorAll("path.space.pointed") ?? []) space.classList.remove("pointed");
    this.svg?.classList.toggle("placing", Boolean(this.picked));
  }

  ghost(piece) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const size = Math.max(34, piece.getBoundingClientRect().width);
    for (const [key, value] of Object.entries({
      viewBox: "-22 -22 44 44",
      width: size,
      height: size,
      class: "ghost",
      "aria-hidden": "true",
    }))
      svg.setAttribute(key, value);
    const copy = piece.cloneNode(true);
    copy.removeAttribute("transform");
    svg.append(copy);
    document.body.append(svg);
    return svg;
  }

  // Tapping

  tapped(event) {
    if (this.dragged) {
      this.dragged = false;
      return;
    }
    const piece = event.target.closest?.(".piece");
    if (piece) return this.pick(this.picked && this.same(piece.dataset, this.picked) ? null : piece);
    if (!this.picked) return;
    const place = this.at(event.clientX, event.clientY);
    if (place && place !== this.picked.place) this.onMove(this.picked, place);
    else this.pick(null);
  }
}
