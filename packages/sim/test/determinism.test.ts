import { createModelServer } from "@muster/sim";
import { createFakeClock } from "@muster/testkit";
import { describe, expect, it } from "vitest";
import { post, until } from "./support.ts";

/** The answers to some requests, and the page after them. */
async function run(seed: number): Promise<{ readonly answers: string[]; readonly page: string }> {
  const clock = createFakeClock();
  await using server = createModelServer({ seed, clock, ranks: 2, loras: ["a"], maxRunning: 2 });
  await server.start();
  const answers: Promise<string>[] = [];
  for (const [index, model] of [
    server.model,
    "a",
    "a",
    server.model,
    "a",
    server.model,
  ].entries()) {
    const body = { model, prompt: "word ".repeat(50 * (index + 1)), max_tokens: 100 };
    answers.push(
      post(server, "/v1/completions", { ...body, stream: index % 2 === 0 }).then((one) =>
        one.text(),
      ),
    );
    await until(() => server.snapshot().totals.requests === index + 1, "the request arrived");
    await clock.advance(100);
  }
  await clock.advance(60_000);
  // how many bytes went over the wire, and when, is the runtime's business
  const page = server.page().replaceAll(/^http_.*\n/gm, "");
  return { answers: await Promise.all(answers), page };
}

describe("a seed", () => {
  it("decides answers and page", async () => {
    const [first, second, other] = [await run(5), await run(5), await run(6)];
    expect(first.answers).toEqual(second.answers);
    expect(first.page).toBe(second.page);
    expect(first.answers).not.toEqual(other.answers);
    expect(first.page).not.toBe(other.page);
  });
});
