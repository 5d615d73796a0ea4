import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { execForm, lastOf, type Stage } from "../image/dockerfile.ts";
import { followStage, readStages } from "../image/follow.ts";
import { exec } from "./exec.ts";

const patienceMs = 30_000;

/** What is loaded only where there is a cluster is loaded too, but nobody listens at the discard port. */
const files = {
  "muster.yaml": `
apiVersion: muster/v1
kind: MusterConfig
plugins:
  - type: k8s-discovery
    parameters: { service: { name: llama }, cluster: { kubeconfig: kubeconfig } }
discovery: { pluginRef: k8s-discovery }
server: { host: 0.0.0.0, port: 0 }
`,
  kubeconfig: `
apiVersion: v1
kind: Config
current-context: test
contexts: [{ name: test, context: { cluster: test, user: test } }]
clusters: [{ name: test, cluster: { server: "http://127.0.0.1:9" } }]
users: [{ name: test, user: {} }]
`,
};

/**
 * Follows the Dockerfile's build stage without Docker, then runs the last stage's command on what came out:
 * in a tree that nobody may write to, as the image's user if this process may change to it.
 *
 * @throws Error saying what was missing
 */
export async function checkImage(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "muster-image-"));
  try {
    const [build, image, ...others] = readStages();
    if (build === undefined || image === undefined || others.length > 0)
      throw new Error("the Dockerfile does not have two stages");
    await followStage(build, folder);
    rmSync(join(folder, "src"), { recursive: true });
    mkdirSync(join(folder, "etc"));
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, "etc", name), text);
    await exec("chmod", ["-R", "a-w,a+rX", folder]);
    await runImage(image, folder);
  } finally {
    await exec("chmod", ["-R", "u+w", folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runImage(image: Stage, folder: string): Promise<void> {
  const [, ...entry] = execForm(lastOf(image, "ENTRYPOINT"));
  const args = [...entry, ...execForm(lastOf(image, "CMD"))].map((arg) =>
    arg.replace(/^\/app\//, `${folder}/runtime/`).replace(/^\/etc\/muster\//, `${folder}/etc/`),
  );
  const [uid, gid] = lastOf(image, "USER").split(":").map(Number);
  const app = spawn(process.execPath, args, {
    cwd: join(folder, "etc"),
    env: { NODE_ENV: "production", MUSTER_TOKEN: "secret" },
    stdio: ["ignore", "pipe", "inherit"],
    ...(process.getuid?.() === 0 && { uid, gid }),
  });
  const ended = once(app, "exit");
  try {
    const url = await printedUrl(app);
    await answers(url, "/healthz", 200);
    await answers(url, "/", 200);
    await answers(url, "/api/endpoints", 401);
    await answers(url, "/readyz", 503, "KUBE_UNAVAILABLE");
    app.kill("SIGTERM");
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`the app ended with ${code} after SIGTERM`);
  } finally {
    app.kill("SIGKILL");
  }
}

/** @throws Error when the app ends, or takes too long, before it prints its address */
async function printedUrl(app: ChildProcess): Promise<string> {
  const signal = AbortSignal.timeout(patienceMs);
  const ended = once(app, "exit", { signal }).then(([code]) => `the app ended with ${code}`);
  const printed = app.stdout ? once(app.stdout, "data", { signal }) : ended;
  const first = await Promise.race([printed.then(String), ended]);
  const url = /^http:\/\/\S+/.exec(first)?.[0];
  if (url === undefined) throw new Error(first);
  return url;
}

/** Asks until the answer is as wanted. @throws Error saying what it was at last */
async function answers(url: string, path: string, status: number, text = ""): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const answer = await fetch(url + path);
    const body = await answer.text();
    if (answer.status === status && body.includes(text)) return;
    if (performance.now() > deadline)
      throw new Error(`${path}: ${answer.status} ${body}, not ${status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
