import { expect, it } from "vitest";
import { followed } from "./followed.ts";

it("is what a plugin says, and nothing when it says nothing or throws", () => {
  const state = { what: "pods in serving", restarts: 0, errors: 0 };
  expect(followed(() => [state])).toEqual({ follows: [state] });
  expect(followed(() => undefined)).toEqual({});
  const failing = () => {
    throw new Error("not now");
  };
  expect(followed(failing)).toEqual({});
});
