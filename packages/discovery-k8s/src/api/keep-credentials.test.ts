import { expect, it, onTestFinished, vi } from "vitest";
import type { ClusterCredentials } from "./cluster.ts";
import { keepCredentials } from "./keep-credentials.ts";

it("asks once for many, anew after a refusal, and again when asking failed", async () => {
  const asked: boolean[] = [];
  const credentials = keepCredentials(async (refresh): Promise<ClusterCredentials> => {
    asked.push(refresh);
    return { authorization: `Bearer ${asked.length}`, tls: {} };
  });
  const both = await Promise.all([credentials(), credentials()]);
  expect(both.map(({ authorization }) => authorization)).toEqual(["Bearer 1", "Bearer 1"]);
  // two requests are refused at the same time
  await Promise.all([credentials({ refresh: true }), credentials({ refresh: true })]);
  expect((await credentials()).authorization).toBe("Bearer 2");
  expect(asked).toEqual([false, true]);
  const broken = keepCredentials(async (refresh) => {
    asked.push(refresh);
    throw new Error("no");
  });
  await expect(broken()).rejects.toThrow("no");
  await expect(broken()).rejects.toThrow("no");
  expect(asked).toEqual([false, true, false, false]);
});

it("waits for an answer that is slow, rather than asking beside it", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const answers: ((credentials: ClusterCredentials) => void)[] = [];
  const credentials = keepCredentials(() => new Promise((resolve) => answers.push(resolve)));
  const first = credentials();
  vi.advanceTimersByTime(60_000);
  const later = [credentials(), credentials({ refresh: true })];
  expect(answers).toHaveLength(1);
  answers[0]?.({ authorization: "Bearer slow", tls: {} });
  for (const each of [first, ...later]) expect((await each).authorization).toBe("Bearer slow");
  vi.advanceTimersByTime(60_000);
  void credentials();
  expect(answers).toHaveLength(2);
});
