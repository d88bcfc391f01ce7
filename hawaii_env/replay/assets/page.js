(async () => {
  const byId = (id) => document.getElementById(id);
  const make = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  };
  const draw = (tag, attributes = {}, text = "") => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.textContent = text;
    return element;
  };

  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  let data;
  try {
    const stream = new Blob([bytes(byId("data").textContent)]).stream().pipeThrough(new DecompressionStream("deflate"));
    data = await new Response(stream).json();
  } catch (error) {
    const trouble = byId("trouble");
    trouble.textContent =
      typeof DecompressionStream === "undefined"
        ? "This browser is too old for the page: it needs Chrome or Edge 80, Firefox 113, Safari 16.4, or later."
        : `The page is damaged: ${error.message}`;
    trouble.hidden = false;
    byId("board").hidden = byId("account").hidden = true;
    return;
  }

  const { sides, lines, chapters, headings, scenes, words, pictures } = data;
  useSetup(data.rules);
  // Whose opinion is shown: one of data.values, or nothing.
  let values = data.values[0];
  const last = lines.length;
  const ASKED = 1,
    INSIDE = 4,
    PARTIAL = 8,
    SEALED = 16; // entered at the same time as the next
  const kindOf = (step) => lines[step - 1][2] & 3;
  const chapterAt = (step) => chapters.findLast(([from]) => from <= Math.max(step, 1))?.[1] ?? "";
  // Of an opinion a share of what can be won, of points their number.
  const told = (value) => (values.unit ? `${value}` : `${Math.round(50 + 50 * value)}%`);

  for (const [family, weight, file] of data.fonts) {
    new FontFace(family, bytes(file).buffer, { weight: String(weight) })
      .load()
      .then((font) => document.fonts.add(font));
  }

  fill(byId("summary"), ruled(data.result));

  // Pictures: each is told by what differs from the one before (frames.py).
  const frames = [];
  for (const [head, tail, numbers] of pictures.frames) {
    const before = frames.at(-1) ?? [];
    frames.push([...before.slice(0, head), ...numbers, ...before.slice(before.length - tail)]);
  }

  // The account
  const anchors = [];
  const account = byId("lines");
  const addAnchor = (list, step, ...children) => {
    const anchor = make("a", { href: `#step=${step}`, tabindex: "-1" }, ...children);
    anchors[step] = anchor;
    list.append(make("li", {}, anchor));
    // The next event tells it.
    anchor.parentNode.hidden = step > 0 && Boolean(lines[step - 1][2] & PARTIAL);
  };
  {
    let list = account.appendChild(make("ol"));
    addAnchor(list, 0, "The beginning");
    let inScene = false;
    const headingAt = new Map(headings),
      sceneAt = new Map(scenes);
    for (let step = 1; step <= last; step++) {
      const [text, player, kind] = lines[step - 1];
      const heading = headingAt.get(step),
        scene = sceneAt.get(step),
        inside = Boolean(kind & INSIDE);
      if (heading !== undefined) account.append(make("h3", {}, heading));
      if (scene !== undefined) account.append(make("h4", {}, scene));
      if (heading !== undefined || scene !== undefined || inside !== inScene) {
        list = account.appendChild(make("ol", inside ? { class: "scene" } : {}));
        inScene = inside;
      }
      const parts = [];
      if (player >= 0) {
        const mark = make("span", { class: "mark", "aria-hidden": "true" }, sides[player].letter);
        mark.style.background = sides[player].colour;
        parts.push(mark, make("span", {}, make("span", { class: "unseen" }, `${sides[player].name}: `), text));
      } else {
        parts.push(make("span", { class: "mark dice", "aria-hidden": "true" }, "⚄"), make("span", {}, text));
      }
      if ((kind & 3) === 0) parts.at(-1).append(make("span", { class: "forced" }, " (no choice)"));
      addAnchor(list, step, ...parts);
    }
    const end = account.appendChild(make("h3", {}, ...ruled(data.result)));
    end.id = "result";
  }

  // Steps by unit: the steps at which one begins
  const whole = Array.from({ length: last + 1 }, (_, step) => step).filter(
    (step) => step === 0 || step === last || !(lines[step - 1][2] & (PARTIAL | SEALED)),
  );
  // What was entered at the same time is seen at the same time.
  const wholeOf = (step) => whole.find((at) => at >= step);
  const units = {
    event: whole,
    decision: whole.filter((step) => step === 0 || step === last || kindOf(step) === ASKED),
    scene: [0, ...scenes.map(([step]) => step), last],
    chapter: [0, ...chapters.map(([step]) => step), last],
  };
  const unitNames = { event: "event", decision: "decision", scene: words.scene, chapter: words.chapter };
  let unit = "event";
  for (const name of Object.keys(units)) {
    for (const item of document.querySelectorAll(`#keys [data-unit=${name}]`)) {
      item.hidden = units[name].length < 3;
      item.querySelector("span").textContent = unitNames[name];
    }
    if (units[name].length < 3 && name !== "event") continue;
    const input = make("input", { type: "radio", name: "unit", value: name });
    input.checked = name === unit;
    input.addEventListener("change", () => {
      unit = name;
    });
    byId("units").append(make("label", {}, input, make("span", {}, unitNames[name])));
  }
  const next = (from, name) => units[name].find((at) => at > from) ?? last;
  const previous = (from, name) => units[name].findLast((at) => at < from) ?? 0;

  // Values
  const valueAt = (step) => values?.points.findLast(([at]) => at <= step)?.slice(1);
  const tellChances = (step) => {
    if (!values) return;
    const found = valueAt(step) ?? values.points[0].slice(1);
    const each = sides.map((side, player) => {
      const swatch = make("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = side.colour;
      return make("span", {}, swatch, `${side.name} ${told(found[player])}`);
    });
    const tie = sides.length > 2 ? "the victory’s share" : "a tie counts half";
    const said = values.unit ? "" : data.values.length > 1 ? tie : `by ${values.label}; ${tie}`;
    byId("chances").replaceChildren(
      make("strong", {}, values.unit ? values.unit[0].toUpperCase() + values.unit.slice(1) : "Expected score"),
      ...each,
      make("span", { class: "soft" }, said),
    );
    byId("chances").hidden = false;
  };

  const mostOf = ({ unit, points }) => (unit ? Math.max(1, ...points.flatMap((point) => point.slice(1))) : 1);

  // The curve, with months and battles
  const slider = byId("slider"),
    curve = byId("curve");
  const INSET = 8,
    TOP = 2,
    height = values ? 104 : 0,
    BAND = 9,
    FOOT = 17;
  let across = (step) => step,
    cursor;
  const drawCurve = () => {
    const width = Math.max(curve.clientWidth, 120);
    across = (step) => INSET + (width - 2 * INSET) * (last ? step / last : 0);
    const down = (value) => TOP + (height * (1 - value)) / 2;
    const dot = (step, value) => `${across(step).toFixed(1)},${down(value).toFixed(1)}`;
    const bottom = TOP + height;
    const image = draw("svg", {
      width,
      height: bottom + BAND + FOOT,
      role: "img",
      "aria-label": values?.unit
        ? `${values.unit[0].toUpperCase()}${values.unit.slice(1)} along the game`
        : values
          ? `Expected scores along the game, by ${values.label}`
          : "The course of the game",
    });
    const left = across(0),
      right = across(last);
    if (values && !values.unit && sides.length === 2) {
      image.append(draw("rect", { x: left, y: TOP, width: right - left, height, fill: sides[1].colour }));
      let path = `M${left},${bottom}`,
        area = "",
        before;
      for (const [step, value] of values.points) {
        if (before === undefined) area += `L${left},${down(value)}`;
        area += `L${dot(step, value)}`;
        before = value;
      }
      area += `L${right},${down(before)}`;
      image.append(
        draw("path", { d: `${path}${area}L${right},${bottom}Z`, fill: sides[0].colour }),
        draw("path", {
          d: `M${area.slice(1)}`,
          fill: "none",
          stroke: "#fff",
          "stroke-width": 2,
          "stroke-linejoin": "round",
        }),
        draw("path", {
          d: `M${left},${down(0)}H${right}`,
          stroke: "#fff",
          "stroke-opacity": 0.7,
          "stroke-dasharray": "2 4",
        }),
        // The other opinions, to compare with.
        ...data.values
          .filter((other) => other !== values && !other.unit)
          .map((other, number) => {
            const line = draw("path", {
              fill: "none",
              stroke: "#fff",
              "stroke-opacity": 0.8,
              "stroke-width": 1.2,
              "stroke-dasharray": ["6 3", "1.5 3", "9 3 2 3"][number % 3],
              class: "other",
              d: `M${other.points.map((point) => dot(...point)).join("L")}`,
            });
            line.append(draw("title", {}, other.label));
            return line;
          }),
        draw("text", { x: left + 6, y: TOP + 15, class: "upon" }, sides[1].name),
        draw("text", { x: left + 6, y: bottom - 7, class: "upon" }, sides[0].name),
      );
    } else if (values) {
      const frame = { x: left, y: TOP, width: right - left, height, fill: "var(--card)", stroke: "#4f646c" };
      image.append(draw("rect", frame));
      const dashes = ["", "7 4", "2 3", "9 3 2 3", "5 2", "1 2"];
      const most = mostOf(values);
      if (values.unit)
        image.append(
          ...[most, Math.round(most / 2)].map((score) => {
            const y = down((2 * score) / most - 1);
            return draw("path", { d: `M${left},${y}H${right}`, stroke: "#4f646c", "stroke-opacity": 0.35 });
          }),
        );
      sides.forEach((side, player) => {
        // Points stand until others are scored; the last ones until the end.
        const points = values.unit
          ? values.points.flatMap(([step, ...scores], n) => {
              const y = (2 * scores[player]) / most - 1;
              return [dot(step, y), dot(values.points[n + 1]?.[0] ?? last, y)];
            })
          : values.points.map((point) => dot(point[0], point[player + 1]));
        image.append(
          draw("polyline", {
            points: points.join(" "),
            fill: "none",
            stroke: side.colour,
            "stroke-width": 2.5,
            "stroke-dasharray": dashes[player % dashes.length],
          }),
        );
      });
      if (values.unit) image.append(draw("text", { x: left + 4, y: TOP + 13, class: "scale" }, `${most}`));
    }
    // A band for the events inside a scene, a tick and a name for each chapter.
    image.append(draw("rect", { x: left, y: bottom, width: right - left, height: BAND, fill: "var(--rule)" }));
    for (let step = 1; step <= last; step++) {
      if (!(lines[step - 1][2] & INSIDE)) continue;
      const from = step;
      while (step < last && lines[step][2] & INSIDE && !scenes.some(([at]) => at === step + 1)) step++;
      const found = scenes.findLast(([at]) => at <= step);
      const bar = draw("rect", {
        x: across(from - 1),
        y: bottom + 1.5,
        width: Math.max(across(step) - across(from - 1) - 1, 2),
        height: BAND - 3,
        fill: "var(--soft)",
        "data-scene": found?.[0] ?? from,
      });
      if (found) bar.append(draw("title", {}, found[1]));
      image.append(bar);
    }
    let free = -Infinity;
    for (const [step, name] of chapters) {
      const x = across(step - 1);
      const room = across((chapters.find(([at]) => at > step)?.[0] ?? last + 1) - 1) - x;
      // Months by their first letters, "Chapter II, ..." by its number where there is no room for more.
      const parts = name.split(",")[0].split(" ");
      const whole = parts.join(" ");
      const brief = name === "Set-up" ? name : parts.length > 1 ? parts.at(-1) : name.slice(0, 3);
      const short = words.chapter !== "month" && room > whole.length * 6.5 ? whole : brief;
      image.append(
        draw("path", {
          d: `M${x},${TOP}V${bottom + BAND + 3}`,
          stroke: values ? "#fff" : "var(--soft)",
          "stroke-opacity": 0.5,
        }),
      );
      image.append(draw("path", { d: `M${x},${bottom}v${BAND + 4}`, stroke: "var(--soft)" }));
      if (x < free || x + 24 > width) continue;
      image.append(draw("text", { x: x + 2, y: bottom + BAND + 13 }, short));
      free = x + short.length * 7 + 8;
    }
    cursor = draw("path", { fill: "none", stroke: "var(--ink)", "stroke-width": 2.5, id: "cursor" });
    const halo = draw("path", { fill: "none", stroke: "var(--paper)", "stroke-width": 5.5, "stroke-opacity": 0.8 });
    image.append(halo, cursor);
    // What is scored with the last event would else be seen by nobody.
    if (values?.unit)
      sides.forEach((side, player) => {
        const y = down((2 * values.points.at(-1)[player + 1]) / mostOf(values) - 1);
        image.append(draw("circle", { cx: right, cy: y, r: 4, fill: side.colour, stroke: "#fff" }));
      });
    cursor.halo = halo;
    curve.replaceChildren(image);
    moveCursor();
  };
  const moveCursor = () => {
    if (!cursor) return;
    const d = `M${across(at).toFixed(1)},${TOP - 2}V${TOP + height + BAND + 3}`;
    cursor.setAttribute("d", d);
    cursor.halo.setAttribute("d", d);
  };

  if (data.values.length > 1) {
    const opinion = byId("opinion");
    const mixed = data.values.some(({ unit }) => unit);
    if (mixed) byId("whose").firstChild.textContent = "Chart ";
    data.values.forEach(({ label, unit }, number) => {
      const name = mixed && !unit ? `expected score by ${label}` : label;
      opinion.append(make("option", { value: number }, name));
    });
    opinion.addEventListener("change", () => {
      values = data.values[Number(opinion.value)];
      tellChances(at);
      drawCurve();
    });
    byId("whose").hidden = false;
  }

  // Going to a moment
  let at = -1,
    timer = 0,
    writing = 0;
  const map = byId("map");
  const PACE = 900, // milliseconds that an event stands
    GLIDES = 12; // events after which nobody could follow who went where
  const describe = (step) => {
    if (step === 0) return "The beginning";
    const [text, player] = lines[step - 1];
    return player < 0 ? text : `${sides[player].name}: ${text}`;
  };
  const go = (step, how = {}) => {
    step = wholeOf(Math.min(Math.max(step, 0), last));
    if (step === at) return;
    const focused = account.contains(document.activeElement);
    for (const anchor of account.querySelectorAll("[aria-current], .with")) {
      anchor.removeAttribute("aria-current");
      anchor.classList.remove("with");
      anchor.tabIndex = -1;
    }
    const before = step > at && step - at < GLIDES ? map.querySelector("svg") : null;
    at = step;
    map.innerHTML = frames[step].map((number) => pictures.pieces[number]).join("");
    const picture = map.querySelector("svg");
    glide(before, picture, timer ? PACE / Number(byId("speed").value) / 2 : PACE / 2);
    const anchor = anchors[step];
    anchor.setAttribute("aria-current", "step");
    anchor.tabIndex = 0;
    for (let n = step - 1; n > 0 && lines[n - 1][2] & SEALED; n--) anchors[n].classList.add("with");
    if (focused) anchor.focus({ preventScroll: true });
    const top = anchor.offsetTop,
      view = account.clientHeight;
    if (top < account.scrollTop + 60 || top > account.scrollTop + view - 90) account.scrollTop = top - view / 2;
    fill(byId("now"), ruled(describe(step)));
    fill(byId("asked"), ruled(step === last ? data.result : (picture?.getAttribute("aria-label") ?? "")));
    slider.value = step;
    const found = valueAt(step);
    const chances = found
      ? `, ${sides.map((side, player) => `${side.name} ${told(found[player])}`).join(", ")}`
      : "";
    slider.setAttribute(
      "aria-valuetext",
      `event ${step} of ${last}, ${[chapterAt(step), describe(step)].filter(Boolean).join(", ")}${chances}`,
    );
    tellChances(step);
    moveCursor();
    // Not `disabled`, which would take the focus away from under the finger.
    const dim = (names, now) =>
      names.forEach((name) => document.querySelector(`[data-go=${name}]`).setAttribute("aria-disabled", String(now)));
    dim(["start", "back"], step === 0);
    dim(["on", "end"], step === last);
    if (!how.fromAddress) {
      // Browsers allow few changes of the address a second.
      clearTimeout(writing);
      writing = setTimeout(() => {
        try {
          history.replaceState(null, "", `#step=${at}`);
        } catch {
          /* the page is shown where it has no address */
        }
      }, 150);
    }
    if (step === last) pause();
  };

  // Playing
  const play = byId("play");
  const pause = () => {
    clearInterval(timer);
    timer = 0;
    document.body.classList.remove("playing");
    play.setAttribute("aria-label", "Play");
    byId("now").setAttribute("aria-live", "polite");
  };
  const run = () => {
    clearInterval(timer);
    const pace = unit === "scene" || unit === "chapter" ? 2000 : PACE;
    timer = setInterval(() => go(next(at, unit)), pace / Number(byId("speed").value));
  };
  const toggle = () => {
    if (timer) return pause();
    // What goes by by itself is not read out.
    byId("now").setAttribute("aria-live", "off");
    document.body.classList.add("playing");
    play.setAttribute("aria-label", "Pause");
    if (at === last) go(0);
    run();
  };
  const step = (target) => {
    pause();
    go(target);
  };

  // Controls
  play.addEventListener("click", toggle);
  byId("speed").addEventListener("change", () => {
    if (timer) run();
  });
  byId("units").addEventListener("change", () => {
    if (timer) run();
  });
  const moves = {
    start: () => 0,
    end: () => last,
    back: () => previous(at, unit),
    on: () => next(at, unit),
  };
  for (const button of document.querySelectorAll("[data-go]")) {
    button.addEventListener("click", () => step(moves[button.dataset.go]()));
  }
  slider.max = last;
  slider.addEventListener("input", () => step(Number(slider.value)));
  byId("link").addEventListener("click", async (event) => {
    const button = event.currentTarget,
      address = location.href.replace(/#.*$/, "") + `#step=${at}`;
    try {
      await navigator.clipboard.writeText(address);
      button.textContent = "Copied";
    } catch {
      button.textContent = "It is this page’s address";
    }
    setTimeout(() => {
      button.textContent = "Copy link";
    }, 1500);
  });
  byId("enlarge").addEventListener("click", (event) => {
    const large = map.classList.toggle("large");
    event.currentTarget.setAttribute("aria-pressed", String(large));
    if (large) map.tabIndex = 0;
    else map.removeAttribute("tabindex");
  });
  account.addEventListener("click", (event) => {
    const anchor = event.target.closest("a");
    if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    step(anchors.indexOf(anchor));
    anchors[at].focus({ preventScroll: true });
  });
  const stepUnder = (event) => {
    const x = event.clientX - curve.getBoundingClientRect().left;
    return Math.round(((x - INSET) / Math.max(across(last) - INSET, 1)) * last);
  };
  let dragging = false;
  curve.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    dragging = true;
    curve.setPointerCapture(event.pointerId);
    step(stepUnder(event));
  });
  curve.addEventListener("pointermove", (event) => {
    if (dragging) step(stepUnder(event));
  });
  for (const name of ["pointerup", "pointercancel"])
    curve.addEventListener(name, () => {
      dragging = false;
    });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const on = event.target;
    const radio = on.type === "radio",
      range = on === slider;
    if (on.tagName === "SELECT" || (on === map && event.key.startsWith("Arrow"))) return;
    const page = event.shiftKey ? "scene" : "chapter";
    const keys = {
      ArrowLeft: () => previous(at, "event"),
      ArrowRight: () => next(at, "event"),
      ArrowUp: () => previous(at, "decision"),
      ArrowDown: () => next(at, "decision"),
      PageUp: () => previous(at, page),
      PageDown: () => next(at, page),
      Home: () => 0,
      End: () => last,
    };
    if (event.key === " ") {
      if (on.tagName === "BUTTON" || on.tagName === "SUMMARY" || radio) return;
      event.preventDefault();
      toggle();
    } else if (Object.hasOwn(keys, event.key)) {
      // A slider and radio buttons have arrows of their own.
      if (event.key.startsWith("Arrow") && (radio || range)) return;
      if (event.key.startsWith("Page") && units[page].length < 3) return;
      event.preventDefault();
      step(keys[event.key]());
    }
  });

  // Links to a moment
  const fromAddress = () => {
    const found = /^#step=(\d+)$/.exec(location.hash);
    if (found) pause();
    go(found ? Number(found[1]) : Math.max(at, 0), { fromAddress: true });
  };
  window.addEventListener("hashchange", fromAddress);
  fromAddress();
  drawCurve();
  new ResizeObserver(drawCurve).observe(curve);
  document.documentElement.dataset.ready = "true";
})();
