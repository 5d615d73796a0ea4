import { MusterError } from "@muster/core";
import { expect, it } from "vitest";
import { retryWhileAway } from "./retry.ts";

const away = new MusterError("STORE_UNAVAILABLE", "connection refused");

function retrying(patience: number) {
  const told: string[] = [];
  const ending = new AbortController();
  const io = { err: (text: string) => void told.push(text), signal: ending.signal };
  const options = { deadline: performance.now() + patience, io, store: "etcd at h:1" };
  return { told, ending, options };
}

it("goes on until the store answers, and tells each reason once", async () => {
  const { told, options } = retrying(60_000);
  const answers = [away, away, undefined];
  const attempt = async (): Promise<string> => {
    const problem = answers.shift();
    if (problem) throw problem;
    return "done";
  };
  expect(await retryWhileAway(attempt, options)).toBe("done");
  expect(told).toEqual([
    expect.stringMatching(
      /^waiting for etcd at h:1, \d+ s more: connection refused \[STORE_UNAVAILABLE\]\n$/,
    ),
    "etcd at h:1 answers\n",
  ]);
});

it("gives up at once on what waiting does not mend", async () => {
  const refused = new MusterError("STORE_AUTH", "wrong password");
  const { told, options } = retrying(60_000);
  await expect(retryWhileAway(() => Promise.reject(refused), options)).rejects.toBe(refused);
  expect(told).toEqual([]);
});

it("asks first whether the store is there, and leaves what else is wrong to the attempt", async () => {
  const { told, options } = retrying(60_000);
  const answers = [away, new MusterError("STORE_AUTH", "may not ask"), undefined];
  let attempts = 0;
  const check = async (): Promise<void> => {
    const problem = answers.shift();
    if (problem) throw problem;
  };
  const attempt = async (): Promise<number> => ++attempts;
  expect(await retryWhileAway(attempt, { ...options, check })).toBe(1);
  expect(told[0]).toMatch(/connection refused/);
  expect(answers).toHaveLength(1);
});

it("makes one attempt without patience", async () => {
  const { options } = retrying(0);
  await expect(retryWhileAway(() => Promise.reject(away), options)).rejects.toBe(away);
});

it("gives up when time is up, also on an attempt that hangs, with the last reason", async () => {
  const hang = (): Promise<never> => new Promise(() => undefined);
  const silent = retryWhileAway(hang, retrying(20).options);
  await expect(silent).rejects.toMatchObject({ code: "STORE_TIMEOUT" });
  let attempts = 0;
  const once = (): Promise<never> => (attempts++ === 0 ? Promise.reject(away) : hang());
  await expect(retryWhileAway(once, retrying(3000).options)).rejects.toBe(away);
  expect(attempts).toBe(2);
});

it("ends when interrupted", async () => {
  const { options, ending } = retrying(60_000);
  const attempt = (): Promise<never> => {
    ending.abort("SIGINT");
    return Promise.reject(away);
  };
  await expect(retryWhileAway(attempt, options)).rejects.toMatchObject({ code: "PLANE_ABORTED" });
});
