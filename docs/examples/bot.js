#!/usr/bin/env node
// A bot for hawaii_env in JavaScript: it takes the first legal action, by its text. docs/bots.md has the protocol.
const send = (message) => process.stdout.write(JSON.stringify(message) + "\n");

require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "hello") send({ type: "ready", name: "first javascript", want: ["view"] });
    else if (message.type === "decide") send({ type: "action", text: message.legal[0].text });
    else if (message.type === "quit") process.exit(0);
  });
