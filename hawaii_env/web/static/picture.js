// The picture as shown: the board, and what the game draws beside it, each at its own size.

const SVG = "http://www.w3.org/2000/svg";

const boxOf = (text) => text.split(" ").map(Number);

export class Picture {
  /** @param svg the document; if it marks its board and what is beside it, the two are separated */
  constructor(svg) {
    Object.assign(this, { svg, beside: null, readable: Number(svg.dataset.readable ?? 0) });
    const group = svg.querySelector("g.beside");
    if (!group) return;
    svg.querySelector("g.heading")?.remove(); // the page has a heading
    const [left, top, width, height] = boxOf(svg.dataset.beside);
    this.beside = document.createElementNS(SVG, "svg");
    for (const { name, value } of svg.attributes) if (name.startsWith("font")) this.beside.setAttribute(name, value);
    this.beside.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
    this.beside.setAttribute("width", width);
    this.beside.append(group);
    svg.setAttribute("viewBox", svg.dataset.board);
    // If the window has another shape than the board, extend the background.
    for (const ground of svg.querySelectorAll("[data-spread]")) ground.removeAttribute("clip-path");
  }

  /** Both parts. */
  get parts() {
    return this.beside ? [this.svg, this.beside] : [this.svg];
  }

  querySelectorAll(selector) {
    return this.parts.flatMap((part) => [...part.querySelectorAll(selector)]);
  }

  querySelector(selector) {
    return this.querySelectorAll(selector)[0] ?? null;
  }
}
