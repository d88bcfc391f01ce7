// A picture as the page shows it: the board, and what the game draws beside it, each at a size of its own.

const SVG = "http://www.w3.org/2000/svg";

const boxOf = (text) => text.split(" ").map(Number);

export class Picture {
  /** @param svg the document; one that names its board and what stands beside it is taken apart */
  constructor(svg) {
    Object.assign(this, { svg, beside: null, readable: Number(svg.dataset.readable ?? 0) });
    const group = svg.querySelector("g.beside");
    if (!group) return;
    svg.querySelector("g.heading")?.remove(); // the page says it
    const [left, top, width, height] = boxOf(svg.dataset.beside);
    this.beside = document.createElementNS(SVG, "svg");
    for (const { name, value } of svg.attributes) if (name.startsWith("font")) this.beside.setAttribute(name, value);
    this.beside.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
    this.beside.setAttribute("width", width);
    this.beside.append(group);
    svg.setAttribute("viewBox", svg.dataset.board);
    // Where the window has another shape than the board, the ground goes on.
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
