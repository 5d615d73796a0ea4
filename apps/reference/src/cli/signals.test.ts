import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { endWith, type SignalHost, terminationSignal } from "./signals.ts";

function host() {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  const clock = { ms: 1000 };
  const later: { callback: () => void; ms: number }[] = [];
  const process = {
    exitCode: 0,
    on: (name, listener) => emitter.on(name, listener),
    exit: (code) => exits.push(code),
    now: () => clock.ms,
    later: (callback, ms) => later.push({ callback, ms }),
  } satisfies SignalHost;
  return { emitter, exits, clock, later, process, signal: terminationSignal(process) };
}

describe("terminationSignal", () => {
  it.each(["SIGINT", "SIGTERM"])("aborts on the first %s", (name) => {
    const { emitter, exits, signal } = host();
    emitter.emit(name);
    expect(signal.reason).toBe(name);
    expect(exits).toEqual([]);
  });

  it("ends the process within 5 s even when something does not stop", () => {
    const { emitter, exits, later } = host();
    emitter.emit("SIGTERM");
    expect(later).toEqual([{ callback: expect.any(Function), ms: 4800 }]);
    later[0]?.callback();
    expect(exits).toEqual([1]);
  });

  it("takes a signal that a terminal and a launcher both send for one", () => {
    const { emitter, exits, clock } = host();
    emitter.emit("SIGINT");
    clock.ms += 249;
    emitter.emit("SIGINT");
    expect(exits).toEqual([]);
  });

  it("ends the process on a later one", () => {
    const { emitter, exits, clock } = host();
    emitter.emit("SIGINT");
    clock.ms += 250;
    emitter.emit("SIGTERM");
    expect(exits).toEqual([130]);
  });
});

describe("endWith", () => {
  it("leaves it to the process when it ends", () => {
    const { exits, later, process, signal } = host();
    endWith(2, signal, process);
    expect([process.exitCode, exits, later]).toEqual([2, [], []]);
  });

  it("gives the output of what was interrupted a moment to be read", () => {
    const { emitter, exits, later, process, signal } = host();
    emitter.emit("SIGINT");
    endWith(0, signal, process);
    expect(exits).toEqual([]);
    expect(later.at(-1)?.ms).toBe(250);
    later.at(-1)?.callback();
    expect(exits).toEqual([0]);
  });

  it("is no success when what was done is not read to its end", () => {
    const { emitter, exits, later, process, signal } = host();
    endWith(0, signal, process);
    emitter.emit("SIGINT");
    later.at(-1)?.callback();
    expect(exits).toEqual([1]);
  });
});
