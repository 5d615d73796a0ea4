import { createFakeClock } from "@muster/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import type { Message } from "./message.ts";
import { RecordView } from "./record-view.ts";
import { Roster } from "./roster.ts";

let roster: Roster;
let view: RecordView;
let said: string[];

beforeEach(() => {
  roster = new Roster({ clock: createFakeClock(), ttl: 1000, heartbeat: 100 });
  said = [];
  view = new RecordView(roster, {
    put: (key, value) => said.push(`${key}=${value}`),
    delete: (key) => said.push(`${key} gone`),
  });
  roster.listen((owner, alive) => view.turn(owner, alive));
});

let sequence = 0;
const message = (
  owner: string | undefined,
  value: string,
  state: Message["state"] = "present",
) => ({
  ...{ subject: "", sequence: ++sequence, time: 0 },
  ...{ owner, value, state },
});
const lease = (state: Message["state"] = "present"): Message => message(undefined, "", state);

describe("RecordView", () => {
  it("tells changes of values, not that a record was written again", () => {
    for (const value of ["1", "1", "2"]) view.take("a", message("x", value));
    view.take("a", message(undefined, "", "deleted"));
    view.take("a", message(undefined, "", "expired"));
    expect(said).toEqual(["a=1", "a=2", "a gone"]);
  });

  it("hides what belongs to the dead, and shows it again when they come back", () => {
    view.take("a", message("x", "1"));
    view.take("b", message("y", "1"));
    view.take("c", message(undefined, "1"));
    roster.hear("x", lease("deleted"));
    view.take("d", message("x", "2"));
    expect([...view.entries().keys()]).toEqual(["b", "c"]);
    expect([...view.remains()].map(({ value }) => value)).toEqual(["1", "2"]);
    roster.hear("x", lease());
    expect(said.slice(3)).toEqual(["a gone", "a=1", "d=2"]);
    expect([...view.remains()]).toEqual([]);
  });

  it("follows a record to another owner", () => {
    view.take("a", message("x", "1"));
    view.take("a", message("y", "1"));
    roster.hear("x", lease("deleted"));
    expect(said).toEqual(["a=1"]);
    roster.hear("y", lease("deleted"));
    expect([...view.entries()]).toEqual([]);
  });

  it("stays as it is while everything is read anew", () => {
    view.take("a", message("x", "1"));
    view.begin();
    view.take("b", message("x", "1"));
    expect([...view.entries().keys()]).toEqual(["a"]);
    view.begin();
    view.take("c", message("x", "1"));
    view.synced();
    expect([...view.entries().keys()]).toEqual(["c"]);
    expect(said).toEqual(["a=1"]);
  });
});
