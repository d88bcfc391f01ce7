// The router: the page to show is the part of the address after "#", which is never sent to the server.

import { fill, h, remember, setting, sleep } from "./dom.js";
import { get, post } from "./requests.js";
import { rulesName, tellCompiling } from "./info.js";
import { reference, useSetup } from "./ruled.js";
import { startPage } from "./start.js";
import { gamePage } from "./game.js";
import { rulesPage } from "./rules.js";

const main = document.getElementById("main");
let leave = new AbortController();

async function join(token) {
  const { id } = await post("/api/join", { invitation: token, name: setting("name", "") || null });
  location.replace(`#/game/${id}`);
}

async function show() {
  leave.abort();
  leave = new AbortController();
  const [page = "", argument = ""] = location.hash.replace(/^#\/?/, "").split("/");
  document.body.dataset.page = page || "start";
  scrollTo(0, 0); // a new page starts at its top
  for (const link of document.querySelectorAll(".bar nav a")) {
    if (link.getAttribute("href") === `#/${page}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const signal = leave.signal;
  try {
    if (page === "game" && argument) await gamePage(main, argument, signal);
    else if (page === "edit" && reference().editor)
      await (await import(reference().editor)).editorPage(main, argument, signal);
    else if (page === "rules") rulesPage(main);
    else if (page === "join" && argument) await join(argument);
    else await startPage(main, signal);
  } catch (error) {
    if (signal.aborted) return;
    if (error.code === "away") {
      await waiting(error);
      return void (signal.aborted || (await show()));
    }
    const link = error.code === "invitation";
    fill(
      main,
      h(
        "section",
        { class: "sheet" },
        h("h1", {}, link ? "This link does not open a game" : "That did not work"),
        h("p", {}, `${error.message}.`.replace(/\.\.$/, ".")),
        link
          ? h(
              "p",
              {},
              "Each link to a seat admits one person. Ask the sender for a new one. If you used it yourself in this " +
                "browser, your game is under Games.",
            )
          : null,
        h("p", {}, h("a", { href: "#/" }, "Back to the games")),
      ),
    );
  }
}

function theme(next) {
  const root = document.documentElement;
  if (next === "light" || next === "dark") root.dataset.theme = next;
  else delete root.dataset.theme;
  const media = { light: "not all", dark: "all" }[next] ?? "(prefers-color-scheme: dark)";
  document.getElementById("dark").media = media; // colours of pictures on dark pages
}

theme(setting("theme", ""));
document.getElementById("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  const next = dark ? "light" : "dark";
  remember("theme", next);
  theme(next);
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

/** Show that the server does not answer, and wait before the next attempt. */
async function waiting(error) {
  fill(
    main,
    h(
      "section",
      { class: "sheet" },
      h("h1", {}, "The server does not answer"),
      h("p", { role: "status" }, `Trying again …${error.code === "away" ? "" : ` (${error.message})`}`),
    ),
  );
  await sleep(3000);
}

/** Ask again until the server answers. */
async function setup() {
  for (;;) {
    try {
      return await get("/api/setup");
    } catch (error) {
      await waiting(error);
    }
  }
}

/** Update the agents on offer while the server tries them. */
async function follow() {
  while (reference().trying.length) {
    await sleep(3000);
    try {
      useSetup(await get("/api/setup"));
      for (const note of document.querySelectorAll(".compiling")) tellCompiling(note);
    } catch {
      // It answers later, or the page shows an error when something is needed.
    }
  }
}

useSetup(await setup());
follow();
const { text, cards, sections, rulings } = reference();
if (![text, cards, sections, rulings].some((told) => Object.keys(told).length))
  document.querySelector('.bar nav a[href="#/rules"]').remove();
else document.querySelector('.bar nav a[href="#/rules"]').textContent = rulesName();
window.addEventListener("hashchange", () => {
  // The element that had the focus is gone with the previous page.
  if (!document.querySelector(".bar").contains(document.activeElement)) main.focus({ preventScroll: true });
  show();
});
await show();
