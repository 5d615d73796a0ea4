import { MusterError } from "@muster/core";
import { createRecordingLogger } from "@muster/testkit";
import { expect, it } from "vitest";
import { Interruptions } from "./interruptions.ts";

const cut = new MusterError("STORE_UNAVAILABLE", "cut off");
const refused = new MusterError("STORE_AUTH", "refused");

function interruptions(listener: (problem: MusterError | undefined) => void) {
  const logger = createRecordingLogger();
  let begun = 0;
  const made = new Interruptions({
    ...{ store: "etcd", bucket: "b", logger, listener },
    onBegin: () => {
      begun += 1;
    },
  });
  return { made, logger, begun: () => begun };
}

it("tells the log and the reader once that one began, and once that it is over", () => {
  const heard: (MusterError | undefined)[] = [];
  const { made, logger, begun } = interruptions((problem) => void heard.push(problem));
  made.end();
  made.begin(cut);
  made.begin(refused);
  made.end();
  made.end();
  made.begin(refused);
  expect(heard).toEqual([cut, undefined, refused]);
  expect(begun()).toBe(2);
  expect(logger.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    "warn: the bucket cannot be followed: cut off",
    "info: the bucket is followed again",
    "warn: the bucket cannot be followed: refused",
  ]);
  expect(logger.lines[0]?.fields).toEqual({ store: "etcd", bucket: "b", code: cut.code });
});

it("goes on when the reader's listener throws, and says so", () => {
  const { made, logger } = interruptions(() => {
    throw new Error("a mistake of the reader's");
  });
  made.begin(cut);
  made.end();
  const errors = logger.lines.filter(({ level }) => level === "error");
  expect(errors).toHaveLength(2);
  expect(errors[0]?.fields.error).toBe("a mistake of the reader's");
});
