import { describe, expect, it } from "vitest";
import { describePlane, resolvePlane } from "./plane-config.ts";

const none = { namespace: undefined, kubeconfig: undefined, context: undefined };

describe("resolvePlane", () => {
  it.each([
    ["kubernetes://", { ...none, mode: "pod" }],
    ["KUBERNETES://serving", { ...none, namespace: "serving", mode: "pod" }],
    [
      "kubernetes://a?kubeconfig=/k%20c&context=x&mode=container",
      { namespace: "a", kubeconfig: "/k c", context: "x", mode: "container" },
    ],
  ])("reads %s", (url, config) => {
    expect(resolvePlane(url, {})).toEqual({ type: "kubernetes", ...config });
  });

  it("takes Kubernetes from the environment unless a URL says otherwise", () => {
    const env = {
      DYN_DISCOVERY_BACKEND: "kubernetes",
      POD_NAMESPACE: "ns",
      DYN_KUBE_DISCOVERY_MODE: "container",
    };
    const config = { ...none, type: "kubernetes", namespace: "ns", mode: "container" };
    expect(resolvePlane(undefined, env)).toEqual(config);
    expect(resolvePlane("file:///d", env)).toEqual({ type: "file", root: "/d" });
    expect(resolvePlane(undefined, { DYN_FILE_KV: "/d" })).toEqual({ type: "file", root: "/d" });
  });

  it.each([
    ["kubernetes://a/b", "STORE_URL"],
    ["kubernetes://a?ttl=3s", "STORE_URL"],
    ["kubernetes://a?mode=node", "STORE_URL"],
  ])("refuses %s", (url, code) => {
    expect(() => resolvePlane(url, {})).toThrow(expect.objectContaining({ code }));
  });

  it("refuses a mode of the environment that there is not", () => {
    const env = { DYN_DISCOVERY_BACKEND: "kubernetes", DYN_KUBE_DISCOVERY_MODE: "node" };
    const refused = expect.objectContaining({ code: "STORE_CONFIG" });
    expect(() => resolvePlane(undefined, env)).toThrow(refused);
  });
});

describe("describePlane", () => {
  it.each([
    ["kubernetes://serving", "Kubernetes namespace serving"],
    ["kubernetes://", "Kubernetes"],
    ["etcd://a", "etcd at a:2379"],
  ])("says of %s: %s", (url, text) => {
    expect(describePlane(resolvePlane(url, {}))).toBe(text);
  });
});
