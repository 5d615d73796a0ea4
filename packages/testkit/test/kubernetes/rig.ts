import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import { afterEach, beforeEach } from "vitest";

/** What came back: status and JSON. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** Kinds of bodies of a patch. */
export const kinds = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** One server, and a client of it that is `fetch` alone. */
export class Rig {
  server: KubernetesServer = createKubernetesServer({ bookmarkInterval: 20 });

  async ask(
    method: string,
    path: string,
    body?: unknown,
    type = "application/json",
  ): Promise<Answer> {
    const response = await fetch(this.server.url + path, {
      method,
      headers: { "content-type": type, "user-agent": "rig/1.0" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  get(path: string): Promise<Answer> {
    return this.ask("GET", path);
  }

  /** Lines of a watch until `count` have come. */
  async watch(path: string, count: number): Promise<Answer["body"][]> {
    const stop = new AbortController();
    const response = await fetch(this.server.url + path, { signal: stop.signal });
    const lines: Answer["body"][] = [];
    let rest = "";
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.map((line) => JSON.parse(line)));
      if (lines.length >= count) break;
    }
    stop.abort();
    return lines;
  }
}

/** A new server for each test. */
export function useRig(): Rig {
  const rig = new Rig();
  beforeEach(async () => {
    rig.server = createKubernetesServer({ bookmarkInterval: 20 });
    await rig.server.start();
  });
  afterEach(() => rig.server.stop());
  return rig;
}

/** Config maps of the default namespace. */
export const maps = "/api/v1/namespaces/default/configmaps";

/** A definition of a custom kind, with a status of its own. */
export const widgets: object = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: { size: { type: "integer" } },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};
