import { createKubernetesServer, type KubernetesServer } from "@muster/testkit/kubernetes";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let server: KubernetesServer;
let reader: string;
beforeEach(async () => {
  server = createKubernetesServer({ token: "admin" });
  await server.start();
  reader = server.addServiceAccount("default", "reader");
});
afterEach(() => server.stop());

async function ask(token: string | undefined, path: string, method = "GET", body?: object) {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as { message?: string } };
}

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const pods = "/api/v1/namespaces/default/pods";

/** Binds rules to the service account, in its namespace or everywhere. */
async function allow(rules: object[], everywhere = false, subject: object = {}): Promise<void> {
  const where = everywhere ? rbac : `${rbac}/namespaces/default`;
  const [role, binding] = everywhere
    ? ["clusterroles", "clusterrolebindings"]
    : ["roles", "rolebindings"];
  await ask("admin", `${where}/${role}`, "POST", { metadata: { name: "r" }, rules });
  const kind = everywhere ? "ClusterRole" : "Role";
  const account = { kind: "ServiceAccount", name: "reader", namespace: "default", ...subject };
  await ask("admin", `${where}/${binding}`, "POST", {
    metadata: { name: "r" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: "r" },
    subjects: [account],
  });
}

describe("who asks", () => {
  it("is nobody without a token, or with one that ended", async () => {
    expect((await ask(undefined, pods)).status).toBe(401);
    expect((await ask("wrong", "/api")).status).toBe(401);
    expect((await ask(reader, "/api")).status).toBe(200);
    server.revokeToken(reader);
    expect((await ask(reader, "/api")).status).toBe(401);
  });
});

describe("what a service account may do", () => {
  it("is nothing until a role says so; the refusal names verb, resource and place", async () => {
    const refused = await ask(reader, pods);
    expect(refused).toMatchObject({
      status: 403,
      body: {
        reason: "Forbidden",
        message:
          'pods is forbidden: User "system:serviceaccount:default:reader" cannot list resource "pods" in API group "" in the namespace "default"',
      },
    });
    await allow([{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }]);
    expect((await ask(reader, pods)).status).toBe(200);
    expect((await ask(reader, `${pods}?watch=true`)).body.message).toContain("cannot watch");
    expect((await ask(reader, "/api/v1/pods")).body.message).toContain("at the cluster scope");
    expect((await ask(reader, "/api/v1/namespaces/kube-system/pods")).status).toBe(403);
  });

  it("is what a cluster role says everywhere, subresources apart", async () => {
    await allow([{ apiGroups: ["*"], resources: ["pods"], verbs: ["*"] }], true);
    expect((await ask(reader, "/api/v1/pods")).status).toBe(200);
    const status = await ask(reader, `${pods}/a/status`, "PATCH", {});
    expect(status.body.message).toContain('cannot patch resource "pods/status"');
  });

  it("is limited to names, which a field selector can say", async () => {
    await allow([
      { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"], resourceNames: ["a"] },
    ]);
    expect((await ask(reader, `${pods}/a`)).status).toBe(404);
    expect((await ask(reader, `${pods}/b`)).status).toBe(403);
    expect((await ask(reader, pods)).status).toBe(403);
    expect((await ask(reader, `${pods}?fieldSelector=metadata.name%3Da`)).status).toBe(200);
  });

  it("is what its groups may do", async () => {
    const group = { kind: "Group", name: "system:serviceaccounts:default" };
    await allow([{ apiGroups: [""], resources: ["*"], verbs: ["list"] }], false, group);
    expect((await ask(reader, pods)).status).toBe(200);
  });
});

it("requests are recorded as RBAC sees them, watches while they are open", async () => {
  await ask(reader, pods);
  const stop = new AbortController();
  const headers = { authorization: "Bearer admin" };
  await fetch(`${server.url}${pods}?watch=true`, { headers, signal: stop.signal });
  const user = "system:serviceaccount:default:reader";
  const about = { group: "", resource: "pods", namespace: "default" };
  expect(server.requests).toMatchObject([
    { ...about, verb: "list", user, status: 403 },
    { ...about, verb: "watch", user: "admin", status: 200 },
  ]);
  stop.abort();
});

it("discovery documents say which kinds there are", async () => {
  const { body } = await ask("admin", "/api/v1");
  expect(body).toMatchObject({ kind: "APIResourceList", groupVersion: "v1" });
  const { resources } = body as unknown as { resources: object[] };
  expect(resources).toContainEqual(
    expect.objectContaining({ name: "pods", kind: "Pod", namespaced: true }),
  );
  expect(resources).toContainEqual(expect.objectContaining({ name: "pods/status" }));
  expect((await ask("admin", "/apis/discovery.k8s.io/v1")).status).toBe(200);
  expect((await ask("admin", "/apis/none.example.com/v1")).status).toBe(404);
  expect((await ask("admin", "/version")).body).toMatchObject({ major: "1" });
  expect((await ask("admin", "/api/v1/pods%zz")).status).toBe(400);
  expect((await ask("admin", pods, "OPTIONS")).status).toBe(405);
});
