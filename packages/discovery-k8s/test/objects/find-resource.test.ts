import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createKubeApi, directCluster, type KubeApi } from "../../src/index.ts";
import { findResource } from "../../src/objects/find-resource.ts";

let server: Server | undefined;
let api: KubeApi | undefined;

afterEach(async () => {
  api?.close();
  await new Promise((resolve) => server?.close(resolve));
});

const all = ["get", "list", "watch"];
const gadget = { group: "acme.dev", version: "v1", kind: "Gadget" };

/** What is found on a server whose discovery document is `document`. */
async function find(document: unknown): Promise<unknown> {
  const listening = createServer((request, response) => {
    response.statusCode = request.url === "/apis/acme.dev/v1" ? 200 : 404;
    response.setHeader("content-type", "application/json").end(JSON.stringify(document));
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  api = createKubeApi(directCluster({ server: `http://127.0.0.1:${port}` }));
  return await findResource(api, gadget, new AbortController().signal);
}

describe("the resource of a kind", () => {
  it("is no subresource, and none that cannot be watched", async () => {
    const resources = [
      { name: "gadgets/status", kind: "Gadget", namespaced: true, verbs: all },
      { name: "gadgetreviews", kind: "Gadget", namespaced: false, verbs: ["create"] },
      { name: "gadgets", kind: "Gadget", namespaced: true, verbs: all },
      { name: "widgets", kind: "Widget", namespaced: true, verbs: all },
    ];
    expect(await find({ resources })).toMatchObject({
      ...{ plural: "gadgets", namespaced: true, others: [] },
    });
  });

  it("is the one named like the kind, of several", async () => {
    const resources = [
      { name: "oldthings", kind: "Gadget", namespaced: false, verbs: all },
      { name: "gadgets", kind: "Gadget", namespaced: true, verbs: all },
    ];
    expect(await find({ resources })).toMatchObject({ plural: "gadgets", others: ["oldthings"] });
  });

  it.each<[string, unknown, string]>([
    ["no such kind", { resources: [{ name: "widgets", kind: "Widget" }] }, "KUBE_NOT_FOUND"],
    [
      "no resource of it that can be watched",
      { resources: [{ name: "gadgets", kind: "Gadget", verbs: ["get"] }] },
      "KUBE_INVALID",
    ],
    ["no list", { resources: "many" }, "KUBE_RESPONSE"],
    ["nothing", null, "KUBE_RESPONSE"],
    [
      "garbage among the resources",
      { resources: [null, 7, { kind: "Gadget", name: 5 }] },
      "KUBE_INVALID",
    ],
  ])("is not found where there is %s", async (_what, document, code) => {
    await expect(find(document)).rejects.toMatchObject({ code });
  });
});
