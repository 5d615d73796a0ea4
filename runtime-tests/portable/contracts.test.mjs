// Core's own contracts, and testkit with its suites and its clock.
import assert from "node:assert/strict";
import {
  createAttributes,
  createEndpoint,
  delay,
  MusterError,
  payloadToken,
  typedName,
} from "@muster/core";
import { createPollingDispatcher } from "@muster/core/dispatch";
import {
  createFakeClock,
  createFakeEndpoint,
  describeAttributeMap,
  describeModelServer,
  describePollingSource,
} from "@muster/testkit";

function pollingWorld() {
  const clock = createFakeClock();
  let mode = "ok";
  const set = (next) => () => {
    mode = next;
  };
  const source = createPollingDispatcher({
    typedName: typedName("page-source"),
    payload: payloadToken("page"),
    clock,
    async poll(_endpoint, { signal }) {
      if (mode === "hang") await delay(clock, 1000, signal);
      if (mode !== "ok") throw new MusterError("SCRAPE_TIMEOUT", "no answer");
      return "up";
    },
  });
  const endpoint = createFakeEndpoint();
  return { source, endpoint, clock, fail: set("fail"), recover: set("ok"), hang: set("hang") };
}

export default (api) => {
  describeAttributeMap(api, { make: () => createAttributes() });
  describeModelServer(api, { make: (metadata) => createEndpoint(metadata) });
  describePollingSource(api, { make: pollingWorld });

  api.it("lets promises settle between two callbacks of a fake clock", async () => {
    const clock = createFakeClock();
    const at = [];
    const loop = (async () => {
      while (at.length < 3) {
        await delay(clock, 10, new AbortController().signal);
        at.push(clock.monotonic());
      }
    })();
    await clock.advance(30);
    await loop;
    assert.deepEqual(at, [10, 20, 30]);
  });
};
