import { expect, it } from "vitest";
import { runSteps, type Step } from "./steps.ts";

async function run(steps: Step[]): Promise<{ text: string; failed: number; last: string }> {
  const lines: string[] = [];
  const { failed } = await runSteps(steps, (line) => lines.push(line));
  const text = lines.join("\n").replace(/\(\d+\.\d s\)/g, "(t)");
  return { text, failed, last: lines.at(-1) ?? "" };
}

const fine: Step = { name: "fine", run: () => undefined };
const broken: Step = { name: "broken", run: () => Promise.reject(new Error("exit 1")) };

it("names each step with its duration and counts tests and steps in the last line", async () => {
  const tests: Step = { name: "tests", run: (count) => count({ passed: 40, failed: 0 }) };
  const { text, last } = await run([fine, tests]);
  expect(text).toContain("=== fine\n--- ok     fine (t)");
  expect(last).toBe("42 passed, 0 failed");
});

it("goes on after a failure, but not with what needs the failed step", async () => {
  let ran = false;
  const dependent: Step = {
    name: "dependent",
    needs: ["fine", "broken"],
    run: () => {
      ran = true;
    },
  };
  const { text, failed, last } = await run([fine, broken, dependent, { ...fine, name: "last" }]);
  expect(ran).toBe(false);
  expect(text).toContain("FAILED broken: exit 1 (t)");
  expect(text).toContain("FAILED dependent: needs broken (t)");
  expect(failed).toBe(2);
  expect(last).toBe("2 passed, 2 failed");
});

it("counts a step's failed tests beside the failed step", async () => {
  const tests: Step = {
    name: "tests",
    run: (count) => {
      count({ passed: 3, failed: 2 });
      throw new Error("2 tests failed");
    },
  };
  expect((await run([tests])).last).toBe("3 passed, 3 failed");
});
