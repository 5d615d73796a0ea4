import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { root } from "../workspace.ts";

/** The part of `GET /api/endpoints` that is checked. */
interface Roll {
  endpoints: { attributes: { engine?: { engine: string } } }[];
}

const patienceMs = 60_000;

/**
 * Runs `npm start` as an operator does: it must print an address whose API shows the simulated fleet
 * fresh, and stop serving when npm is told to stop.
 *
 * @throws Error saying what was missing when patience ran out
 */
export async function checkStart(): Promise<void> {
  const npm = spawn("npm", ["start", "--", "--port", "0"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const url = await printedUrl(npm);
    await until(async () => {
      const response = await fetch(`${url}/api/endpoints?state=fresh`);
      const { endpoints } = (await response.json()) as Roll;
      const engines = new Set(endpoints.map(({ attributes }) => attributes.engine?.engine));
      const enough = endpoints.length >= 6 && engines.size >= 3;
      return enough || `${endpoints.length} fresh endpoints of ${[...engines]}, not 6 of 3 engines`;
    });
    npm.kill("SIGTERM");
    await until(async () => {
      const answered = await fetch(`${url}/healthz`).then(
        () => true,
        () => false,
      );
      return !answered || "still serving after SIGTERM";
    });
  } finally {
    npm.kill("SIGKILL");
  }
}

async function printedUrl(npm: ChildProcess): Promise<string> {
  if (!npm.stdout) throw new Error("npm start has no stdout");
  for await (const line of createInterface(npm.stdout)) {
    console.log(line);
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url) return url;
  }
  throw new Error("npm start ended without printing an address");
}

/** Asks again until the answer is `true`; the last answer says what is missing. */
async function until(ask: () => Promise<true | string>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer === true) return;
    if (performance.now() > deadline) throw new Error(answer);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
