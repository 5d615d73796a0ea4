import { expect, it } from "vitest";
import { templateProblem } from "./template.ts";

it.each(["", "a", "{host}", "x-{component}.{namespace}", "/{id}{port}?a={endpoint}"])(
  "takes %j",
  (template) => {
    expect(templateProblem(template)).toBeUndefined();
  },
);

it.each([
  ["{hots}", "{hots} is none of {host}"],
  ["{}", "{} is none of"],
  ["{ host }", "{ host } is none of"],
  ["{__proto__}", "is none of"],
  ["{host", "single brace"],
  ["{{host}}", "single brace"],
])("refuses %j: %s", (template, problem) => {
  expect(templateProblem(template)).toContain(problem);
});
