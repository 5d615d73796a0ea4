import { type ChildProcess, spawn } from "node:child_process";
import process from "node:process";
import { root } from "../workspace.ts";

/** The part of `GET /api/endpoints` that is checked. */
interface Roll {
  endpoints: { attributes: { engine?: { engine: string } } }[];
}

const patienceMs = 60_000;

/**
 * Runs `npm start` as an operator does, with the endpoints file and with servers that register
 * themselves: it must print an address whose API shows the simulated fleet fresh, and stop serving when
 * npm is told to stop. A server that is killed must vanish.
 *
 * @throws Error saying what was missing when patience ran out
 */
export async function checkStart(): Promise<void> {
  await whileStarted([], (url) => fresh(url, 6));
  await whileStarted(["--discovery", "file-store"], async (url, printed) => {
    await fresh(url, 6);
    const pid = Number(/kill -9 (\d+)/.exec(await printed(/kill -9 \d+/))?.[1]);
    process.kill(pid, "SIGKILL");
    await until(async () => {
      const left = (await roll(url, "")).length;
      return left === 5 || `${left} endpoints after one of 6 servers was killed`;
    });
  });
}

type Printed = (wanted: RegExp) => Promise<string>;

async function whileStarted(
  flags: readonly string[],
  check: (url: string, printed: Printed) => Promise<void>,
): Promise<void> {
  const npm = spawn("npm", ["start", "--", "--port", "0", ...flags], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = collect(npm);
  try {
    const address = /http:\/\/127\.0\.0\.1:\d+(?=\/api)/;
    const url = address.exec(await printed(address))?.[0] ?? "";
    await check(url, printed);
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

/** Waits until so many endpoints of three engines are fresh. */
async function fresh(url: string, count: number): Promise<void> {
  await until(async () => {
    const endpoints = await roll(url, "?state=fresh");
    const engines = new Set(endpoints.map(({ attributes }) => attributes.engine?.engine));
    const enough = endpoints.length >= count && engines.size >= 3;
    return (
      enough || `${endpoints.length} fresh endpoints of ${[...engines]}, not ${count} of 3 engines`
    );
  });
}

async function roll(url: string, filter: string): Promise<Roll["endpoints"]> {
  const response = await fetch(`${url}/api/endpoints${filter}`);
  return ((await response.json()) as Roll).endpoints;
}

/** Shows what npm prints, and gives it once it matches. */
function collect(npm: ChildProcess): Printed {
  let text = "";
  let ended = false;
  for (const stream of [npm.stdout, npm.stderr])
    stream?.setEncoding("utf8").on("data", (chunk: string) => {
      process.stdout.write(chunk);
      text += chunk;
    });
  npm.once("close", () => {
    ended = true;
  });
  return async (wanted) => {
    await until(async () => {
      if (ended) throw new Error(`npm start ended without printing ${wanted}`);
      return wanted.test(text) || `npm start has not printed ${wanted}`;
    });
    return text;
  };
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
