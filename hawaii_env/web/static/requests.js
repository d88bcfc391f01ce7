// Requests to the server, and its errors.

/** An error of the server, with its status and code. */
export class ServerError extends Error {
  constructor(status, code, message) {
    super(message.charAt(0).toUpperCase() + message.slice(1));
    this.status = status;
    this.code = code;
  }
}

async function request(method, path, body, signal) {
  const options = { method, signal, credentials: "same-origin", headers: {} };
  if (method === "POST") {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body ?? {});
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ServerError(0, "away", "The server does not answer just now. Try again in a moment.");
  }
  if (!answer.ok) {
    let told = { code: "http", message: `the server answered ${answer.status}` };
    try {
      told = (await answer.json()).error ?? told;
    } catch {
      // no JSON: only the status is known
    }
    throw new ServerError(answer.status, told.code, told.message);
  }
  return answer;
}

export const get = async (path, signal) => (await request("GET", path, null, signal)).json();
export const getText = async (path, signal) => (await request("GET", path, null, signal)).text();
export const post = async (path, body, signal) => (await request("POST", path, body, signal)).json();
