import { expect, it } from "vitest";
import { TellSkipped } from "./tell-skipped.ts";

const suite = (name: string, tests: number) => ({
  name,
  children: { allTests: () => Array.from({ length: tests }) },
});
const file = (...suites: ReturnType<typeof suite>[]) => ({ children: { allSuites: () => suites } });

it("says once for each server that is missing how to get it", () => {
  const lines: string[] = [];
  const reporter = new TellSkipped((text) => lines.push(text));
  reporter.onTestRunEnd([
    file(suite("leases [needs etcd: apt-get install etcd-server]", 3), suite("ran", 2)),
    file(suite("watches [needs etcd: apt-get install etcd-server]", 4)),
    file(suite("outages [needs nats: apt-get install nats-server]", 1)),
  ]);
  expect(lines).toEqual([
    "Tests skipped: 7, which need etcd: apt-get install etcd-server\n",
    "Tests skipped: 1, which need nats: apt-get install nats-server\n",
  ]);
});

it("is silent when nothing is missing", () => {
  const reporter = new TellSkipped(() => expect.fail("nothing to say"));
  reporter.onTestRunEnd([file(suite("ran", 2))]);
});
